/** POST /api/report/getPosEventsTableAllLocations: a business day's point-of-sale rows. */

import { Type } from 'typebox';
import { LongList } from '../../core/long-list.ts';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, plainText, text } from '../../http/fields/field-types.ts';
import { MAX_SALES_ROWS } from '../../reports/sales-reports.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { EVENT_TABLE_ROW_SCHEMA, eventTableRow } from './pos-event-type.ts';

export const getPosEventsTableAllLocations = defineEndpoint({
  path: '/api/report/getPosEventsTableAllLocations',
  summary: 'Lists the point-of-sale rows of a business day at all locations.',
  description:
    'In the order of `timestamp`. `failedGuids` names the restaurants whose day an integration could not read and ' +
    'that have reported nothing since. Rows are reported through `/api/ingest/posEvents`. If a day has more than ' +
    `${MAX_SALES_ROWS.toLocaleString('en')} rows, the rest are left out, with a warning.`,
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
    const { orgUuid, services } = context;
    const { rows, failedRestaurants, isCut } = await services.salesReports.ofDay(orgUuid, businessDate);
    if (isCut) {
      context.warn(
        `The day has more than ${MAX_SALES_ROWS.toLocaleString('en')} rows: the others are left out.`,
      );
    }
    return { eventTable: LongList.of(rows).map(eventTableRow), failedGuids: [...failedRestaurants] };
  },
});
