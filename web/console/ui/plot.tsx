/** A counter over the last hour, or the last day. Words repeat the plot for people who cannot see it. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { TIME_ZONE } from '../../words/choices.ts';
import { dayTimeFormat } from '../../words/formats.ts';
import { gatewayNowMs } from '../gateway-clock.ts';
import type { Counters } from '../gateway-state.ts';
import { t } from '../words.ts';
import { colorOf } from './color-of.ts';
import { useDark } from './use-dark.ts';

/** As `.plot-area`. */
const HEIGHT_PX = 130;
const MS_PER_SEC = 1_000;
const HOUR_SEC = 3_600;
const HOURS_PER_DAY = 24;
/** Between the labels of an axis, at least: a time of day, and a line of text. */
const X_SPACE_PX = 64;
const Y_SPACE_PX = 34;
const CLOCK = dayTimeFormat('minutes');

interface PlotText {
  readonly title: string;
  /** A value in words. */
  readonly text: (value: number) => string;
  /** Values can be below zero. */
  readonly isSigned?: boolean;
  /** The axis reaches at least to this. */
  readonly leastTop?: number;
  /** Shows the last 24 hours, with a value at most every five minutes. Default: the last hour. */
  readonly isDay?: boolean;
}

export function Plot({
  counters,
  name,
  hasTable = false,
  ...texts
}: PlotText & {
  readonly counters: Counters;
  /** Name of the counter. */
  readonly name: string;
  /** The same as a table, for those who do not see the plot. */
  readonly hasTable?: boolean;
}) {
  const { title, text } = texts;
  const values = counters.counters[name] ?? [];
  const known = values.filter((value) => value !== null);
  const newest = known.at(-1);
  return (
    <figure class="plot">
      <figcaption>
        <b>{title}</b> <span>{newest === undefined ? t('not known') : text(newest)}</span>
      </figcaption>
      <PlotArea
        timesMs={counters.timesMs}
        values={values}
        label={summaryOf(title, known, texts)}
        {...texts}
      />
      {hasTable && known.length > 0 && (
        <PlotTable title={title} timesMs={counters.timesMs} values={values} text={text} />
      )}
    </figure>
  );
}

type Values = readonly (number | null)[];

/** Drawn when it comes near the screen, and then kept: new values go into the same plot. */
function PlotArea({
  timesMs,
  values,
  label,
  ...texts
}: PlotText & { readonly timesMs: readonly number[]; readonly values: Values; readonly label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const isNear = useNear(box);
  const isDark = useDark();
  const [isMissing, setIsMissing] = useState(false);
  const plot = useRef<uPlot | null>(null);
  const data = useRef<uPlot.AlignedData>([[]]);
  data.current = [timesMs.map((ms) => ms / MS_PER_SEC), [...values]];
  useEffect(() => {
    if (!isNear) return;
    const parent = box.current!;
    let isLeft = false;
    const watch = new ResizeObserver(() =>
      plot.current?.setSize({ width: parent.clientWidth, height: HEIGHT_PX }),
    );
    import('uplot').then(
      async ({ default: Plotter }) => {
        await ownTask();
        if (isLeft) return;
        const tzDate = (sec: number) => Plotter.tzDate(new Date(sec * MS_PER_SEC), TIME_ZONE);
        plot.current = new Plotter({ ...optionsOf(parent, texts), tzDate }, data.current, parent);
        watch.observe(parent);
      },
      () => setIsMissing(true),
    );
    return () => {
      isLeft = true;
      watch.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
    // The canvas has the colors with which it was drawn.
  }, [isNear, isDark]);
  useEffect(() => plot.current?.setData(data.current), [timesMs, values]);
  return (
    <div ref={box} class="plot-area" role="img" aria-label={label}>
      {isMissing && <p class="muted">{t('The plot cannot be loaded. Reload the page.')}</p>}
    </div>
  );
}

let lastTask: Promise<void> = Promise.resolve();

/** One plot takes a slow phone as long as people may wait after a tap: each has a task of its own. */
function ownTask(): Promise<void> {
  lastTask = lastTask.then(() => new Promise((resolve) => setTimeout(resolve, 0)));
  return lastTask;
}

function optionsOf(
  parent: HTMLElement,
  { text, isSigned = false, isDay = false, leastTop = 1e-9 }: PlotText,
): uPlot.Options {
  const grid = { stroke: colorOf(parent, '--line'), width: 1 };
  const style = getComputedStyle(parent);
  const font = [style.getPropertyValue('--text-caption').trim(), style.fontFamily].join(' ');
  const axis = { stroke: colorOf(parent, '--muted'), font, grid, ticks: { show: false } };
  return {
    width: parent.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { range: () => lastHours(isDay ? HOURS_PER_DAY : 1) },
      y: { range: (_plot, min, max) => heightOf(min, max, isSigned, leastTop) },
    },
    axes: [
      {
        ...axis,
        // The hour is a line of time: no grid across it.
        grid: { show: false },
        space: X_SPACE_PX,
        size: 28,
        values: (_plot, splits) => splits.map((sec) => CLOCK.format(sec * MS_PER_SEC)),
      },
      { ...axis, size: 76, space: Y_SPACE_PX, values: (_plot, splits) => splits.map(text) },
    ],
    series: [
      {},
      { stroke: colorOf(parent, '--accent'), width: 2, spanGaps: false, points: { show: isDay, size: 5 } },
    ],
  };
}

const TABLE_STEP_MS = 300_000;

/** Means of five minutes each. A time without values has none. */
function PlotTable({
  title,
  timesMs,
  values,
  text,
}: {
  readonly title: string;
  readonly timesMs: readonly number[];
  readonly values: Values;
  readonly text: (value: number) => string;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const steps = isOpen
    ? Map.groupBy(timesMs.keys(), (index) => Math.floor(timesMs[index]! / TABLE_STEP_MS))
    : [];
  return (
    <details class="plot-table" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t('As a table')}</summary>
      <table>
        <caption class="off-screen">{t('{title}, means of five minutes', { title })}</caption>
        <thead>
          <tr>
            <th scope="col">{t('From')}</th>
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
                <td>{known.length === 0 ? t('not known') : text(sum / known.length)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}

/** With some room above; from zero, unless there are values below. */
function heightOf(
  min: number | null,
  max: number | null,
  isSigned: boolean,
  leastTop: number,
): [number, number] {
  const top = Math.max(max ?? 0, leastTop) * 1.1;
  return [isSigned ? Math.min(0, min ?? 0) * 1.1 : 0, top];
}

/** In seconds; however few samples there are. */
function lastHours(hours: number): [number, number] {
  const nowSec = gatewayNowMs() / MS_PER_SEC;
  return [nowSec - hours * HOUR_SEC, nowSec];
}

function summaryOf(title: string, known: readonly number[], { text, isDay = false }: PlotText): string {
  const span = isDay ? t('the last 24 hours') : t('the last hour');
  if (known.length === 0) return t('{title}: nothing is known of {span}', { title, span });
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return t('{title} in {span}: from {least} to {most}', {
    title,
    span,
    least: text(least),
    most: text(most),
  });
}

/** In CSS pixels beyond the edges of the screen. */
const NEAR_PX = 200;

/** Whether an element has come near the screen: what takes long to draw is not drawn before. Once true, it stays so. */
function useNear(element: { readonly current: Element | null }): boolean {
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        watch.disconnect();
        setIsNear(true);
      },
      { rootMargin: `${NEAR_PX}px` },
    );
    watch.observe(element.current!);
    return () => watch.disconnect();
  }, [element]);
  return isNear;
}
