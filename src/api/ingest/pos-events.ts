/** Point-of-sale rows: what registers of restaurants and stores recorded. */

import { Type } from 'typebox';
import { optionalFields } from '../../http/fields/field-groups.ts';
import { deviceUuid, flag, listOf, text } from '../../http/fields/field-types.ts';
import { saleReportRules } from '../../reports/report-rules.ts';
import { MAX_POS_CAMERAS, POS_TEXT_FIELDS } from '../report/pos-event-type.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { defineIngestKind, rowId } from './define-ingest-kind.ts';

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
  rules: saleReportRules,
});
