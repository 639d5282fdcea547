// A list of any length of which only what is seen is in the page. One row has the focus; arrows move it.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  count: number;
  /** CSS pixels of a row, all alike. */
  rowHeight: number;
  label: string;
  /** What a row shows; its link takes the attributes. */
  row: (index: number, link: { tabIndex: number; 'data-row': number }) => ComponentChildren;
  /** Kept while the list is not shown. */
  place: { active: number; top: number };
}

const BESIDE = 8; // rows above and below, so that scrolling shows no gaps
const MOST_PRINTED = 1000;

export function VirtualList({ count, rowHeight, label, row, place }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const [active, setActive] = useState(Math.min(place.active, Math.max(0, count - 1)));
  const [printing, setPrinting] = useState(false);
  const wanted = useRef(false); // the active row is to have the focus

  useLayoutEffect(() => {
    box.current!.scrollTop = place.top;
    redraw((n) => n + 1);
    const before = () => setPrinting(true);
    const after = () => setPrinting(false);
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    return () => {
      removeEventListener('beforeprint', before);
      removeEventListener('afterprint', after);
    };
  }, []);
  useEffect(() => {
    const resized = new ResizeObserver(() => redraw((n) => n + 1));
    resized.observe(box.current!);
    return () => resized.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (!wanted.current) return;
    wanted.current = false;
    box.current!.querySelector<HTMLElement>(`[data-row="${active}"]`)?.focus({ preventScroll: true });
  });

  const top = box.current?.scrollTop ?? 0;
  const height = box.current?.clientHeight ?? 600;
  const from = printing ? 0 : Math.max(0, Math.min(Math.floor(top / rowHeight), count - 1) - BESIDE);
  const to = printing ? Math.min(count, MOST_PRINTED) : Math.min(count, Math.ceil((top + height) / rowHeight) + BESIDE);
  const current = Math.min(active, count - 1);

  const goTo = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index));
    const view = box.current!;
    if (next * rowHeight < view.scrollTop) view.scrollTop = next * rowHeight;
    if ((next + 1) * rowHeight > view.scrollTop + view.clientHeight) view.scrollTop = (next + 1) * rowHeight - view.clientHeight;
    place.active = next;
    place.top = view.scrollTop;
    wanted.current = true;
    setActive(next);
    redraw((n) => n + 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: count - 1,
    };
    if (!(event.key in steps) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    goTo(steps[event.key]);
  };
  const onFocus = (event: FocusEvent) => {
    const index = (event.target as HTMLElement).dataset.row;
    if (index === undefined) return;
    place.active = Number(index);
    setActive(Number(index));
  };

  const rows = [];
  for (let i = from; i < to; i++) {
    rows.push(
      <li
        key={i}
        aria-setsize={count}
        aria-posinset={i + 1}
        style={printing ? undefined : { transform: `translateY(${i * rowHeight}px)`, height: `${rowHeight}px` }}
      >
        {row(i, { tabIndex: i === current ? 0 : -1, 'data-row': i })}
      </li>,
    );
  }
  // Where the active row is out of sight, the list itself can be reached by the keyboard.
  const lost = count > 0 && (current < from || current >= to);
  return (
    <div
      class={printing ? 'virtual printing' : 'virtual'}
      style={{ '--rows': `${count * rowHeight + 2}px` }}
      ref={box}
      tabIndex={lost ? 0 : -1}
      role="region"
      aria-label={label}
      onScroll={() => {
        place.top = box.current!.scrollTop;
        redraw((n) => n + 1);
      }}
      onKeyDown={onKeyDown}
      onFocusCapture={onFocus}
    >
      <ul role="list" aria-label={label} style={printing ? undefined : { height: `${count * rowHeight}px` }}>
        {rows}
      </ul>
    </div>
  );
}
