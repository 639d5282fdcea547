import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { loadData } from './data';
import { date, safeName } from './format';
import { useLoaded, useRoute } from './hooks';
import { makeReport, type Report } from './model';
import './style.css';
import { Compare } from './views/Compare';
import { Groups } from './views/Groups';
import { GroupView } from './views/GroupView';
import { Overview } from './views/Overview';
import { Problems } from './views/Problems';

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const STORED = 'stemma-theme';

/** A page from disk may be refused a store. */
function storedTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(STORED)) ?? 'auto';
  } catch {
    return 'auto';
  }
}

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** The style knows light and dark; auto is what the system says, also when it changes. */
function showTheme(theme: Theme) {
  document.documentElement.dataset.theme = theme !== 'auto' ? theme : systemIsDark.matches ? 'dark' : 'light';
}

function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme);
  useEffect(() => {
    const show = () => showTheme(theme);
    show();
    systemIsDark.addEventListener('change', show);
    try {
      localStorage.setItem(STORED, theme);
    } catch {
      // it lasts as long as the page
    }
    return () => systemIsDark.removeEventListener('change', show);
  }, [theme]);
  return (
    <label class="theme">
      <span class="unseen">Colours</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {{ auto: '◐ Auto', light: '☀ Light', dark: '☾ Dark' }[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

function View({ report, route }: { report: Report; route: string }) {
  const [path, query] = route.split('?');
  const [, view, number, action, left, right] = path.split('/');
  if (view === '') return <Overview report={report} />;
  if (view === 'groups') {
    const asked = new URLSearchParams(query).get('q') ?? undefined;
    return <Groups key={asked} report={report} query={asked} />;
  }
  if (view === 'problems') return <Problems report={report} />;
  const group = view === 'group' ? report.groups[Number(number) - 1] : undefined;
  const places = [Number(left), Number(right)];
  if (group && action === 'compare' && places.every((place) => group.documents[place])) {
    return <Compare report={report} group={group} left={places[0]} right={places[1]} />;
  }
  if (group && !action) return <GroupView key={group.index} report={report} group={group} />;
  return (
    <>
      <h1 tabIndex={-1}>There is no such page</h1>
      <p>
        <a href="#/">To the overview</a>
      </p>
    </>
  );
}

function Navigation({ report, route }: { report: Report; route: string }) {
  const links: [string, string, boolean][] = [
    ['#/', 'Overview', route === '/'],
    ['#/groups', `Groups`, route.startsWith('/group')],
    ['#/problems', 'Problems', route === '/problems'],
  ];
  const counts = [undefined, report.groups.length, report.problems.length];
  return (
    <nav aria-label="Report">
      {links.map(([href, words, current], i) => (
        <a key={href} href={href} aria-current={current ? 'page' : undefined}>
          {words}
          {counts[i] !== undefined && <span class="count"> {counts[i]!.toLocaleString('en')}</span>}
        </a>
      ))}
    </nav>
  );
}

function Footer() {
  const licences = document.getElementById('licences') as HTMLTemplateElement;
  return (
    <footer>
      <p>Made by stemma. Everything is in this file: nothing is loaded, nothing is sent.</p>
      <details>
        <summary>Licences of what this page contains</summary>
        <pre tabIndex={0}>{licences.content.textContent}</pre>
      </details>
    </footer>
  );
}

/** A change of view begins at its heading, for the eye and for the screen reader. */
function useArrival(route: string): void {
  const first = useRef(true);
  useEffect(() => {
    document.title = `${document.querySelector('h1')?.textContent ?? 'Report'} · Stemma report`;
    if (!first.current && !route.includes('/compare/')) {
      scrollTo(0, 0);
      document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    }
    first.current = false;
  }, [route]);
}

function Page({ report }: { report: Report }) {
  const route = useRoute();
  useArrival(route);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('h1')?.focus();
        }}
      >
        Skip to the content
      </a>
      <header>
        <a class="brand" href="#/">
          <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
            <path d="M5 4v12a4 4 0 0 0 4 4h9M5 10h8a3 3 0 0 1 3 3" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" />
            <circle cx="5" cy="4" r="2.4" fill="currentColor" />
          </svg>
          Stemma
        </a>
        <span class="subject">
          <bdi>{report.head.paths.filter((path) => path !== '.').map(safeName).join(', ')}</bdi>{' '}
          <span class="faint">{date(report.head.made)}</span>
        </span>
        <Navigation report={report} route={route} />
        <ThemeSwitch />
      </header>
      <main>
        <View report={report} route={route} />
      </main>
      <Footer />
    </>
  );
}

function App() {
  const { value, error } = useLoaded(async () => makeReport(await loadData()), []);
  if (error) {
    return (
      <main>
        <h1>This report cannot be shown</h1>
        <p class="notice">{error.message}</p>
      </main>
    );
  }
  return value ? <Page report={value} /> : null;
}

showTheme(storedTheme());
const app = document.getElementById('app')!;
app.textContent = '';
render(<App />, app);
