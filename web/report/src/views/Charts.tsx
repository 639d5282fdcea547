// Charts: drawn for the eye, a table for everyone else.
import type { Bar, Folder } from '../model';
import { bytes, count, plural, shownName } from '../format';

function HiddenTable({ bars, head, unit }: { bars: Bar[]; head: string; unit: string }) {
  return (
    <table class="unseen">
      <caption>{head}</caption>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          <th scope="col">{unit}</th>
        </tr>
      </thead>
      <tbody>
        {bars.map((bar) => (
          <tr key={bar.label}>
            <th scope="row">{bar.label}</th>
            <td>{count(bar.value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const WIDTH = 400;
const HEIGHT = 150;
const TOP = 18; // for the numbers above
const FOOT = 20; // for the labels below

/** Upright bars; `every`: one label in so many. */
export function Columns({ bars, head, unit, every = 1 }: { bars: Bar[]; head: string; unit: string; every?: number }) {
  const most = Math.max(1, ...bars.map((bar) => bar.value));
  const step = WIDTH / bars.length;
  return (
    <div class="columns">
      <svg viewBox={`0 0 ${WIDTH} ${TOP + HEIGHT + FOOT}`} aria-hidden="true">
        <line class="axis" x1="0" x2={WIDTH} y1={TOP + HEIGHT} y2={TOP + HEIGHT} />
        {bars.map((bar, i) => {
          const height = bar.value && Math.max(2, (bar.value / most) * HEIGHT);
          const middle = (i + 0.5) * step;
          return (
            <g key={bar.label}>
              <title>{`${bar.label}: ${count(bar.value)}`}</title>
              <rect class="bar" x={i * step + step * 0.1} width={step * 0.8} y={TOP + HEIGHT - height} height={height} rx="2" />
              {bar.value > 0 && (every === 1 || bar.value === most) && (
                <text class="number" x={middle} y={TOP + HEIGHT - height - 5}>
                  {count(bar.value)}
                </text>
              )}
              {i % every === 0 && (
                <text class="label" x={every === 1 ? middle : i * step} y={TOP + HEIGHT + 15} text-anchor={every === 1 ? 'middle' : 'start'}>
                  {every === 1 ? bar.label : bar.label.split('–')[0]}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <HiddenTable bars={bars} head={head} unit={unit} />
    </div>
  );
}

/** Lying bars of folders; each leads to the groups it is in. */
export function Folders({ folders }: { folders: Folder[] }) {
  const most = Math.max(1, ...folders.map((folder) => folder.value));
  return (
    <ol class="folders">
      {folders.map((folder) => (
        <li key={folder.path}>
          <a href={`#/groups?q=${encodeURIComponent(folder.path)}`}>
            <bdi class="name">{shownName(folder.path)}</bdi>
          </a>
          <span class="amount">
            {bytes(folder.value)} <span class="faint">in {plural(Number(folder.note), 'document')}</span>
          </span>
          <span class="track" aria-hidden="true">
            <span class="fill" style={{ width: `${(folder.value / most) * 100}%` }} />
          </span>
        </li>
      ))}
    </ol>
  );
}
