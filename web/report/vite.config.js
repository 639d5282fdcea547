// One file with everything in it: script and style stand in the page, named by their digests, so that its policy can
// forbid everything else; and so do the licences of the packages that came into it.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const escapeHtml = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** The folder of the package that a module belongs to. */
const packageOf = (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];

function licence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
}

function onePage() {
  return {
    name: 'one-page',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const script = files.find((file) => file.type === 'chunk');
      const style = files.find((file) => file.fileName.endsWith('.css'));
      const page = files.find((file) => file.fileName === 'index.html');
      const packages = new Set(Object.keys(script.modules).map(packageOf).filter(Boolean));
      // Inside a script element nothing else may look like its end.
      const code = script.code.trim().replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
      const rules = style.source.trim();
      page.source = page.source
        .replace(/\s*<script type="module"[^]*?<\/script>/, '')
        .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
        .replace('SCRIPT-DIGEST', () => digest(code))
        .replace('STYLE-DIGEST', () => digest(rules))
        .replace('</head>', () => `<style>${rules}</style>\n<script type="module">${code}</script>\n</head>`)
        .replace('LICENCES', () => escapeHtml([...packages].sort().map(licence).join('\n\n\n')));
      for (const file of files) if (file !== page) delete bundle[file.fileName];
    },
  };
}

export default defineConfig({
  build: { modulePreload: false, cssCodeSplit: false, target: ['chrome105', 'firefox113', 'safari16.4'] },
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
  plugins: [onePage()],
});
