/** POST /api/report/getPosEventsTableAllLocations: a business day's point-of-sale rows. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import type { EventMark } from '../../store/event.ts';
import { type CallContext, defineEndpoint } from '../base/endpoint.ts';
import { EXAMPLE_CAMERA_UUID } from '../base/examples.ts';
import { listOf, plainText, text } from '../base/field-types.ts';
import { invalidField } from '../base/request-body.ts';
import { businessDayMs, MS_PER_DAY } from './business-date.ts';
import { EVENT_TABLE_ROW_SCHEMA, eventTableRow, type PosEventBody } from './pos-event-type.ts';

/** The answer is one list without pages. */
const MAX_ROWS = 10_000;
const CHUNK_ROWS = 1_000;

export const getPosEventsTableAllLocations = defineEndpoint({
  path: '/api/report/getPosEventsTableAllLocations',
  summary: 'Lists the point-of-sale rows of a business day, of all locations.',
  description:
    `In the order of \`timestamp\`. \`failedGuids\` names the restaurants whose day an integration could not read and ` +
    `of which nothing has come since. Rows come in through \`/api/ingest/posEvents\`; a day of more than ` +
    `${MAX_ROWS.toLocaleString('en')} rows is cut, with a warning.`,
  request: Type.Object({
    businessDate: text('The business day: `2026-01-31` or `20260131`.', 10),
  }),
  response: {
    eventTable: listOf(EVENT_TABLE_ROW_SCHEMA, 'The rows.'),
    failedGuids: listOf(plainText('Restaurant.'), 'Restaurants whose rows are missing.'),
  },
  example: {
    request: { businessDate: '2026-01-01' },
    response: {
      eventTable: [
        {
          employeeName: 'Kim',
          orderGuid: 'order-1',
          paymentType: 'CREDIT',
          restaurantName: 'Harbour Café',
          revenueCenterName: null,
          serviceAreaName: null,
          timestamp: '2026-01-01T12:30:00Z',
          tipAmount: '2.00',
          totalAmount: '12.50',
          totalDiscountAmount: '0.00',
          voided: 'false',
          assignedCameraList: [EXAMPLE_CAMERA_UUID],
        },
      ],
      failedGuids: ['restaurant-2'],
    },
  },
  async handler(context, { businessDate }) {
    const dayMs = businessDayMs(businessDate);
    if (dayMs === null) throw invalidField('businessDate must be a date such as 2026-01-31 or 20260131.');
    const bodies = await readDay(context, dayMs);
    const rows = bodies.filter(({ failed }) => !failed);
    const inOrder = rows.toSorted((a, b) => compareTexts(a.timestamp ?? '', b.timestamp ?? ''));
    return { eventTable: LongList.of(inOrder).map(eventTableRow), failedGuids: failedRestaurants(bodies) };
  },
});

async function readDay(context: CallContext, dayMs: number): Promise<PosEventBody[]> {
  const { orgUuid, services } = context;
  const bodies: PosEventBody[] = [];
  let after: EventMark | null = null;
  for (;;) {
    const chunk = await services.store.events.page(orgUuid, {
      kind: 'posEvent',
      fromMs: dayMs,
      toMs: dayMs + MS_PER_DAY,
      order: 'oldest-first',
      after,
      limit: CHUNK_ROWS,
    });
    for (const { body } of chunk) {
      if (bodies.length === MAX_ROWS) {
        context.warn(`The day has more than ${MAX_ROWS.toLocaleString('en')} rows: the others are left out.`);
        return bodies;
      }
      bodies.push(body as PosEventBody);
    }
    if (chunk.length < CHUNK_ROWS) return bodies;
    after = chunk.at(-1) ?? null;
  }
}

/** Those whose latest word is a failure. */
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
