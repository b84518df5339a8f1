/** A counter over the last hour. What it shows is also said in words, for those who do not see it. */

import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Counters } from '../system.ts';
import { colorOf } from './color-of.ts';
import { useDark } from './use-dark.ts';

const HEIGHT_PX = 130;
const MS_PER_SEC = 1_000;
const HOUR_SEC = 3_600;

export function Plot({
  title,
  counters,
  name,
  text,
  isSigned = false,
  hasTable = false,
}: {
  readonly title: string;
  readonly counters: Counters;
  /** Of the counter. */
  readonly name: string;
  /** A value in words. */
  readonly text: (value: number) => string;
  /** Values can be below zero. */
  readonly isSigned?: boolean;
  /** The same as a table, for those who do not see the plot. */
  readonly hasTable?: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const isDark = useDark();
  const values = counters.counters[name] ?? [];
  useEffect(() => {
    const parent = box.current!;
    const grid = { stroke: colorOf(parent, '--line'), width: 1 };
    const axis = { stroke: colorOf(parent, '--muted'), grid, ticks: { show: false } };
    const plot = new uPlot(
      {
        ...{ width: parent.clientWidth, height: HEIGHT_PX, legend: { show: false } },
        cursor: { drag: { x: false, y: false }, points: { show: false } },
        scales: {
          x: { range: lastHour },
          y: { range: (_plot, min, max) => heightOf(min, max, isSigned) },
        },
        axes: [axis, { ...axis, size: 76, values: (_plot, splits) => splits.map(text) }],
        series: [
          {},
          { stroke: colorOf(parent, '--accent'), width: 2, spanGaps: false, points: { show: false } },
        ],
      },
      [counters.timesMs.map((ms) => ms / MS_PER_SEC), [...values]],
      parent,
    );
    const watch = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT_PX }));
    watch.observe(parent);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
    // The canvas has the colors with which it was drawn.
  }, [counters, name, isDark]);
  const known = values.filter((value) => value !== null);
  const newest = known.at(-1);
  return (
    <figure class="plot">
      <figcaption>
        <b>{title}</b> <span>{newest === undefined ? 'not known' : text(newest)}</span>
      </figcaption>
      <div ref={box} class="plot-area" role="img" aria-label={summaryOf(title, known, text)} />
      {hasTable && known.length > 0 && (
        <PlotTable title={title} timesMs={counters.timesMs} values={values} text={text} />
      )}
    </figure>
  );
}

const TABLE_STEP_MS = 300_000;
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** Means of five minutes each. A time without values has none. */
function PlotTable({
  title,
  timesMs,
  values,
  text,
}: {
  readonly title: string;
  readonly timesMs: readonly number[];
  readonly values: readonly (number | null)[];
  readonly text: (value: number) => string;
}) {
  const steps = Map.groupBy(timesMs.keys(), (index) => Math.floor(timesMs[index]! / TABLE_STEP_MS));
  return (
    <details class="plot-table">
      <summary>As a table</summary>
      <table>
        <caption class="off-screen">{title}, means of five minutes</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">{title}</th>
          </tr>
        </thead>
        <tbody>
          {[...steps].map(([step, indexes]) => {
            const known = indexes.map((index) => values[index] ?? null).filter((value) => value !== null);
            const sum = known.reduce((total, value) => total + value, 0);
            return (
              <tr key={step}>
                <td>{CLOCK.format(step * TABLE_STEP_MS)}</td>
                <td>{known.length === 0 ? 'not known' : text(sum / known.length)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}

/** With some room above; from zero, unless there are values below. */
function heightOf(min: number | null, max: number | null, isSigned: boolean): [number, number] {
  const top = Math.max(max ?? 0, 1e-9) * 1.1;
  return [isSigned ? Math.min(0, min ?? 0) * 1.1 : 0, top];
}

/** In seconds; however few samples there are. */
function lastHour(): [number, number] {
  const nowSec = Date.now() / MS_PER_SEC;
  return [nowSec - HOUR_SEC, nowSec];
}

function summaryOf(title: string, known: readonly number[], text: (value: number) => string): string {
  if (known.length === 0) return `${title}: nothing is known of the last hour`;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return `${title} in the last hour: from ${text(least)} to ${text(most)}`;
}
