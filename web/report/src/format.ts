// Numbers and names as people read them.

const grouped = new Intl.NumberFormat('en');

export const count = (value: number): string => grouped.format(value);

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** "812 B", "61.2 KB": powers of 1000, as the program prints them. */
export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

/** Rounded down, so that 100 % is all. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return '<1 %';
  return `${Math.floor(share * 100 + 1e-9)} %`;
}

/** "84–97 %", or one number where they are the same. */
export function percentRange(least: number, most: number): string {
  const [from, to] = [percent(least), percent(most)];
  return from === to ? to : `${from.replace(/ %$/, '')}–${to}`;
}

export const date = (iso?: string): string => (iso ? iso.slice(0, 10) : '');

const relations: Record<string, string> = { 'same-text': 'same text', 'another-form': 'another form' };
export const relation = (name: string): string => relations[name] ?? name;

const CONTROLS = /[\u0000-\u001f\u007f]/g;
const INVISIBLE = /[\u0080-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

const picture = (character: string): string =>
  character === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + character.charCodeAt(0));

const codePoint = (character: string): string =>
  `\u27e8U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`;

/** A name that cannot pretend: what is invisible or turns the direction of writing is shown. */
export const safeName = (name: string): string => name.replace(CONTROLS, picture).replace(INVISIBLE, codePoint);

/** The same without the folder that a scan of "." puts before everything. */
export const shownName = (name: string): string => safeName(name.replace(/^(\.\/)+(?=.)/, ''));

/** A line of text: control characters are shown, marks of direction stay (each line is isolated). */
export const safeText = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, picture).replace(/[\u202d\u202e]/g, codePoint);

/** Folder (with its slash) and last part. */
export function splitName(name: string): [string, string] {
  const slash = name.lastIndexOf('/', name.length - 2) + 1;
  return [name.slice(0, slash), name.slice(slash)];
}
