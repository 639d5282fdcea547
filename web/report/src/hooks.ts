import { useEffect, useState } from 'preact/hooks';

/** The value once it has not changed for a moment: who types fast does not wait for each letter. */
export function useDeferred<T>(value: T, milliseconds = 80): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

/** What an asynchronous function gives, once it does. */
export function useLoaded<T>(load: () => Promise<T>, depends: unknown[]): { value?: T; error?: Error } {
  const [state, setState] = useState<{ value?: T; error?: Error }>({});
  useEffect(() => {
    let wanted = true;
    setState({});
    load().then(
      (value) => wanted && setState({ value }),
      (error) => wanted && setState({ error }),
    );
    return () => {
      wanted = false;
    };
  }, depends);
  return state;
}

/** Whether the screen is such a one, also when it changes. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const changed = () => setMatches(media.matches);
    changed();
    media.addEventListener('change', changed);
    return () => media.removeEventListener('change', changed);
  }, [query]);
  return matches;
}

/** Where the page is, from the part of its address behind #. */
export function useRoute(): string {
  const [route, setRoute] = useState(location.hash.slice(1) || '/');
  useEffect(() => {
    const changed = () => setRoute(location.hash.slice(1) || '/');
    addEventListener('hashchange', changed);
    changed(); // it may have changed since this was drawn
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}
