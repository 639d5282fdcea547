// The command that shows on the machine that has the documents where two of them differ.
import type { Document } from './data';
import { safeName } from './format';
import type { Report } from './model';

const bytesOf = (name: string, base64?: string): number[] =>
  base64 ? [...atob(base64)].map((letter) => letter.charCodeAt(0)) : [...new TextEncoder().encode(name)];

const inDigits = (bytes: number[]): string => `$'${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`;

/** One word of a shell, whatever it holds; what cannot be seen is written in digits. */
function shellWord(word: string): string {
  if (safeName(word) !== word) return inDigits(bytesOf(word));
  return /^[\w./,:@%+=-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

/** What the program takes for the document's name: a record is FILE:ID, unless its id is its place in the file. */
function nameOf({ id, id_bytes, source, source_bytes }: Document): string {
  const besides = source !== undefined && !id.startsWith(`${source}:`);
  if (id_bytes || (besides && source_bytes)) {
    return inDigits([...(besides ? [...bytesOf(source, source_bytes), 0x3a] : []), ...bytesOf(id, id_bytes)]);
  }
  const name = besides ? `${source}:${id}` : id;
  return shellWord(name.startsWith('-') ? `./${name}` : name);
}

/** Documents of standard input are gone, and an id that several records have names the first of them. */
const canBeNamed = ({ summary }: Report, { source }: Document): boolean =>
  source === undefined || (source !== '-' && summary.namesakes === 0);

/** How documents were read and seen, where it is not the default. */
function optionsOf({ head, summary }: Report): string[] {
  const reading = { 'text-field': head.text_field, 'id-field': head.id_field, encoding: head.encoding };
  const view = summary.recipe.split(' ').filter((field) => /^(preset=(?!text$)|fold=|unit=(?!word$))/.test(field));
  return [...Object.entries(reading).flatMap(([name, value]) => (value ? [`${name}=${value}`] : [])), ...view].map((option) => `--${option}`);
}

export function diffCommand(report: Report, a: Document, b: Document): string | undefined {
  if (!canBeNamed(report, a) || !canBeNamed(report, b)) return undefined;
  return ['stemma diff', ...optionsOf(report).map(shellWord), nameOf(a), nameOf(b)].join(' ');
}
