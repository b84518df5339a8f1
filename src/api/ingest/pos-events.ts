/** Point-of-sale rows: what registers of restaurants and stores recorded. */

import { Type } from 'typebox';
import { businessDayMs } from '../../reports/business-date.ts';
import { reportSales } from '../../reports/sales-reports.ts';
import { optionalFields } from '../fields/field-groups.ts';
import { deviceUuid, flag, listOf, text } from '../fields/field-types.ts';
import { MAX_POS_CAMERAS, POS_TEXT_FIELDS } from '../report/pos-event-type.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { defineIngestKind } from './define-ingest-kind.ts';
import { knownEvents } from './known-events.ts';
import { cameraUuidsOf, rowId, unknownReference } from './row-fields.ts';

const POS_ROW = Type.Object({
  id: rowId('The row.'),
  businessDate: text('The business day: `2026-01-31` or `20260131`.', 10),
  restaurantGuid: text('The restaurant or store, by its ID in the point-of-sale system.'),
  failed: Type.Optional(
    flag(
      'Whether the restaurant’s day could not be read: `failedGuids` names the restaurant until a later row of it ' +
        'arrives.',
    ),
  ),
  assignedCameraList: Type.Optional(
    listOf(
      deviceUuid('Camera.'),
      `Cameras that see the register, at most ${MAX_POS_CAMERAS}.`,
      MAX_POS_CAMERAS,
    ),
  ),
  ...optionalFields(POS_TEXT_FIELDS),
});

export const posEvents = defineIngestKind({
  name: 'posEvents',
  summary: 'Reports rows of point-of-sale systems.',
  description:
    'Read by `/api/report/getPosEventsTableAllLocations`. `id` is unique among the organization’s rows. If an ' +
    'integration cannot read a restaurant’s day, it reports a row with `failed: true`.',
  row: POS_ROW,
  example: {
    id: 'order-1',
    businessDate: '2026-01-01',
    restaurantGuid: 'restaurant-1',
    restaurantName: 'Harbour Café',
    orderGuid: 'order-1',
    employeeName: 'Kim',
    paymentType: 'CREDIT',
    totalAmount: '12.50',
    tipAmount: '2.00',
    totalDiscountAmount: '0.00',
    voided: 'false',
    timestamp: '2026-01-01T12:30:00Z',
    assignedCameraList: [EXAMPLE_CAMERA_UUID],
  },
  async problemsOf(context, rows) {
    const cameras = await cameraUuidsOf(context);
    return rows.map(({ businessDate, assignedCameraList = [] }) => {
      if (businessDayMs(businessDate) === null) {
        return {
          field: 'businessDate',
          reason: 'businessDate must be a date such as 2026-01-31 or 20260131.',
        };
      }
      const unknown = assignedCameraList.findIndex((camera) => !cameras.has(camera));
      return unknown < 0 ? null : unknownReference(`assignedCameraList[${unknown}]`, 'a camera');
    });
  },
  known(context, rows) {
    return knownEvents(
      context,
      'posEvent',
      rows,
      ({ id }) => id,
      ({ id, atMs, body }, { businessDate }) => ({
        ...body,
        ...{ id, businessDate: businessDayMs(businessDate) === atMs ? businessDate : null },
      }),
    );
  },
  store({ orgUuid, store, nowMs }, rows) {
    return reportSales(store, orgUuid, nowMs, rows);
  },
});
