/** Point-of-sale rows (docs/spec/rules.md#reports): stored as events of a business day, read one day at a time. */

import { GatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { EventMark, StoredEvent } from '../../store/event.ts';
import type { Store } from '../../store/store.ts';
import { businessDayMs, MS_PER_DAY } from './business-date.ts';
import { REPORT_ERRORS } from './errors.ts';

/** A register's record, in its own format. */
export interface PosTexts {
  readonly employeeName?: string;
  readonly orderGuid?: string;
  readonly paymentType?: string;
  readonly restaurantName?: string;
  readonly revenueCenterName?: string;
  readonly serviceAreaName?: string;
  readonly timestamp?: string;
  readonly tipAmount?: string;
  readonly totalAmount?: string;
  readonly totalDiscountAmount?: string;
  readonly voided?: string;
}

/** The stored part of an event of kind `posEvent`; its time is the business day. */
export interface PosEventBody extends PosTexts {
  readonly restaurantGuid: string;
  /** Whether the restaurant's day could not be read. */
  readonly failed: boolean;
  readonly assignedCameraList: readonly Ruuid[];
  readonly receivedAtMs: number;
}

/** A row, as reported by an integration. */
export interface ReportedPosRow extends PosTexts {
  /** Unique among the organization's rows. */
  readonly id: string;
  /** `2026-01-31` or `20260131`. */
  readonly businessDate: string;
  readonly restaurantGuid: string;
  readonly failed?: boolean;
  readonly assignedCameraList?: readonly Ruuid[];
}

export interface SalesDay {
  /** In the order of their `timestamp`. */
  readonly rows: readonly PosEventBody[];
  /** Restaurants whose latest report is that the day could not be read. */
  readonly failedRestaurants: readonly string[];
  /** Whether the day has more rows than are read. */
  readonly isCut: boolean;
}

/** How many rows of one day are read. */
export const MAX_SALES_ROWS = 10_000;
const CHUNK_ROWS = 1_000;

/** Stores rows, whose business dates must be valid. Resolves with how many were new. */
export function reportSales(
  { events }: Pick<Store, 'events'>,
  report: { readonly orgUuid: Ruuid; readonly nowMs: number; readonly reporterUuid?: Ruuid | undefined },
  rows: readonly ReportedPosRow[],
): Promise<number> {
  const { orgUuid, nowMs, reporterUuid } = report;
  const reporter = reporterUuid === undefined ? {} : { reporterUuid };
  const toEvent = (row: ReportedPosRow): StoredEvent => {
    const { id, businessDate, failed = false, assignedCameraList = [], ...texts } = row;
    const body: PosEventBody = { ...texts, failed, assignedCameraList, receivedAtMs: nowMs };
    // Rows belong to a day and not to a device; the organization takes its place.
    return {
      orgUuid,
      kind: 'posEvent',
      id,
      deviceUuid: orgUuid,
      atMs: businessDayMs(businessDate)!,
      body,
      ...reporter,
    };
  };
  return events.add(rows.map(toEvent));
}

export class SalesReports {
  readonly #store: Pick<Store, 'events'>;

  constructor(store: Pick<Store, 'events'>) {
    this.#store = store;
  }

  /** The rows of a business day. Fails BUSINESS_DATE_INVALID. */
  async ofDay(orgUuid: Ruuid, businessDate: string): Promise<SalesDay> {
    const dayMs = businessDayMs(businessDate);
    if (dayMs === null) throw new GatewayError(REPORT_ERRORS.BUSINESS_DATE_INVALID);
    const { bodies, isCut } = await readDay(this.#store.events, orgUuid, dayMs);
    const rows = bodies.filter(({ failed }) => !failed);
    return {
      rows: rows.toSorted((a, b) => compareTexts(a.timestamp ?? '', b.timestamp ?? '')),
      failedRestaurants: failedRestaurants(bodies),
      isCut,
    };
  }
}

async function readDay(
  events: Store['events'],
  orgUuid: Ruuid,
  dayMs: number,
): Promise<{ bodies: PosEventBody[]; isCut: boolean }> {
  const bodies: PosEventBody[] = [];
  let after: EventMark | null = null;
  for (;;) {
    const chunk: StoredEvent[] = await events.page(orgUuid, {
      kind: 'posEvent',
      fromMs: dayMs,
      toMs: dayMs + MS_PER_DAY,
      order: 'oldest-first',
      after,
      limit: CHUNK_ROWS,
    });
    for (const { body } of chunk) {
      if (bodies.length === MAX_SALES_ROWS) return { bodies, isCut: true };
      bodies.push(body as PosEventBody);
    }
    if (chunk.length < CHUNK_ROWS) return { bodies, isCut: false };
    after = chunk.at(-1) ?? null;
  }
}

function failedRestaurants(bodies: readonly PosEventBody[]): string[] {
  const latest = new Map<string, PosEventBody>();
  for (const body of bodies) {
    const known = latest.get(body.restaurantGuid);
    const isLater =
      known === undefined ||
      body.receivedAtMs > known.receivedAtMs ||
      (body.receivedAtMs === known.receivedAtMs && !body.failed);
    if (isLater) latest.set(body.restaurantGuid, body);
  }
  return [...latest.values()]
    .filter(({ failed }) => failed)
    .map(({ restaurantGuid }) => restaurantGuid)
    .sort();
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
