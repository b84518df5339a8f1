/** The dialog in which a viewer chooses a time: any instant, or a day of a list that shows in which hours there is video. */

import { element, setText } from './dom.ts';
import { gatewayEpochMs, type PastHours } from './open.ts';
import { daysOf, type PastDay, shortDay, zoneText } from './past-scale.ts';
import { timeFormat } from './words/formats.ts';
import { t } from './words/plain-words.ts';
import { daysLater, epochMsOf, wallMs } from './words/zone.ts';

export interface PastDaysEvents {
  onTime(epochMs: number): void;
  /** `dayMs`: its midnight. `firstMs`: when its video begins, to the hour. */
  onDay(dayMs: number, firstMs: number): void;
}

const HOUR_MS = 3_600_000;

export class PastDays {
  readonly #dialog = element('days', HTMLDialogElement);
  readonly #form = element('go', HTMLFormElement);
  readonly #time = element('go-time', HTMLInputElement);
  readonly #zone = element('go-zone', HTMLElement);
  readonly #list = element('days-list', HTMLElement);
  readonly #empty = element('days-empty', HTMLElement);
  readonly #longDay = timeFormat('fullDay');
  readonly #hour = timeFormat('minutes');
  #days: readonly PastDay[] = [];

  constructor(events: PastDaysEvents) {
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      const epochMs = epochMsOf(Date.parse(`${this.#time.value}Z`));
      if (!Number.isFinite(epochMs)) return;
      this.close();
      events.onTime(epochMs);
    });
    element('days-close', HTMLButtonElement).addEventListener('click', () => this.close());
    // A click outside the dialog closes it.
    this.#dialog.addEventListener('click', ({ target }) => {
      if (target === this.#dialog) this.close();
    });
    this.#list.addEventListener('click', ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null;
      const day = button === null ? undefined : this.#days[Number(button.dataset.day)];
      if (day === undefined) return;
      this.close();
      events.onDay(day.dayMs, day.dayMs + (day.runs[0]?.from ?? 0) * HOUR_MS);
    });
  }

  get isOpen(): boolean {
    return this.#dialog.open;
  }

  /** `atMs`: first value of the field. */
  open(atMs: number, hours: PastHours): void {
    this.#time.value = localText(atMs);
    this.#dialog.showModal();
    this.show(hours);
  }

  close(): void {
    if (this.#dialog.open) this.#dialog.close();
  }

  /** Newest first. */
  show(hours: PastHours): void {
    if (!this.#dialog.open) return;
    const nowMs = gatewayEpochMs();
    const [first] = hours;
    this.#time.min = first === undefined ? '' : localText(first[0] * HOUR_MS);
    this.#time.max = localText(nowMs);
    setText(this.#zone, t('Times are in {zone}.', { zone: zoneText(nowMs) }));
    const focusedMs = this.#focusedDayMs();
    this.#days = daysOf(hours).toReversed();
    this.#empty.hidden = this.#days.length > 0;
    this.#list.replaceChildren(...this.#days.map((day, index) => this.#row(day, index, nowMs)));
    const focused = this.#days.findIndex(({ dayMs }) => dayMs === focusedMs);
    this.#list.querySelector<HTMLElement>(`[data-day="${focused}"]`)?.focus();
  }

  /** Day of the button that has the focus, which must not lose it when newer hours arrive; null: none. */
  #focusedDayMs(): number | null {
    const { activeElement } = document;
    if (!(activeElement instanceof HTMLElement) || !this.#list.contains(activeElement)) return null;
    return this.#days[Number(activeElement.dataset.day)]?.dayMs ?? null;
  }

  #row({ dayMs, runs }: PastDay, index: number, nowMs: number): HTMLElement {
    const row = document.createElement('li');
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'day';
    button.dataset.day = String(index);
    const clock = (hours: number): string => this.#hour.format(dayMs + hours * HOUR_MS);
    const times = runs.map(({ from, to }) => t('{from} to {to}', { from: clock(from), to: clock(to) }));
    button.setAttribute(
      'aria-label',
      t('{day}, video {times}', { day: this.#longDay.format(dayMs), times: times.join(', ') }),
    );
    const name = document.createElement('span');
    name.className = 'day-name';
    name.textContent = shortDay(dayMs, nowMs);
    const strip = document.createElement('span');
    strip.className = 'day-strip';
    const length = (daysLater(dayMs, 1) - dayMs) / HOUR_MS;
    for (const { from, to } of runs) {
      const bar = document.createElement('span');
      bar.style.left = `${(from / length) * 100}%`;
      bar.style.width = `${((to - from) / length) * 100}%`;
      strip.append(bar);
    }
    button.append(name, strip);
    row.append(button);
    return row;
  }
}

/** As the field of the browser has it: local time, to the minute. */
function localText(epochMs: number): string {
  return new Date(wallMs(epochMs)).toISOString().slice(0, 16);
}
