// Small pieces that several views have.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Document } from '../data';
import { count, percent, percentRange, relation as relationWords, safeName, shownName, splitName } from '../format';

/** A document's name: the folder is less important than what it is called, and left out as far as it is known. */
export function Name({ of, below = '', short = false }: { of: Document; below?: string; short?: boolean }) {
  const [folder, last] = splitName(of.id.slice(below.length));
  return (
    <bdi class="name" title={short ? safeName(of.id) : undefined}>
      {folder && folder !== './' && <span class="folder">{shownName(folder)}</span>}
      <span class="last">{safeName(last)}</span>
      {of.source && !short && <span class="folder"> in {safeName(of.source)}</span>}
    </bdi>
  );
}

/** share: of one member, or the least and the most of several. */
export function Relation({ name, share, anotherForm }: { name: string; share?: number | [number, number]; anotherForm?: boolean }) {
  const words = !anotherForm ? relationWords(name) : name === 'same-text' ? 'same text in another form' : 'another form';
  const hasShare = share !== undefined && name !== 'identical' && name !== 'same-text' && name !== 'kept';
  return (
    <span class={`relation ${name}`}>
      {words}
      {hasShare && ` ${Array.isArray(share) ? percentRange(share[0], share[1]) : percent(share)}`}
    </span>
  );
}

/** A number as a bar, and as words. */
export function Meter({ share, label }: { share: number; label: string }) {
  return (
    <span class="meter">
      <span class="track" aria-hidden="true">
        <span class="fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span class="value">
        <span class="unseen">{label} </span>
        {percent(share)}
      </span>
    </span>
  );
}

/** Puts text on the clipboard where that is allowed; else it is selected, to be copied by hand. */
export function Copy({ text }: { text: string }) {
  const [done, setDone] = useState(false);
  const code = useRef<HTMLElement>(null);
  useEffect(() => setDone(false), [text]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
    } catch {
      getSelection()?.selectAllChildren(code.current!);
    }
  };
  return (
    <div class="command">
      <code ref={code} tabIndex={0}>
        {text}
      </code>
      <button type="button" onClick={copy}>
        {done ? 'Copied' : 'Copy'}
      </button>
      <span class="unseen" role="status">
        {done ? 'Copied' : ''}
      </span>
    </div>
  );
}

export function Section({ title, children, id }: { title: string; children: ComponentChildren; id: string }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** How many of the first are shown, a button for more, and a way to show at least so many. */
export function useFirst(total: number, step: number): [number, ComponentChildren, (least: number) => void] {
  const [shown, setShown] = useState(step);
  const left = total - shown;
  const next = Math.min(left, step * 4);
  const more = left > 0 && (
    <p class="more">
      <button type="button" onClick={() => setShown(shown + next)}>
        {next < left ? `Show ${count(next)} more` : `Show the other ${count(left)}`}
      </button>
      {next < left && ` of the ${count(left)} that are not shown`}
    </p>
  );
  return [Math.min(total, shown), more, (least) => setShown(Math.max(shown, least))];
}
