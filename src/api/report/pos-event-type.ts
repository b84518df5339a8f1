/** Point-of-sale rows (docs/spec/rules.md#reports): as reported and as returned. */

import { type Static, type TUnsafe, Type } from 'typebox';
import { answeredFields, nullableFields } from '../../http/fields/field-groups.ts';
import { listOf, ruuid, text } from '../../http/fields/field-types.ts';
import type { PosEventBody, PosTexts } from '../../reports/sales-reports.ts';

export const MAX_POS_CAMERAS = 100;

export const POS_TEXT_FIELDS = {
  employeeName: text('The employee who served.'),
  orderGuid: text('The order.'),
  paymentType: text('How it was paid.'),
  restaurantName: text('Name of the restaurant or store.'),
  revenueCenterName: text('Revenue center.'),
  serviceAreaName: text('Service area.'),
  timestamp: text('When it was rung up, in the system’s format.'),
  tipAmount: text('Tip.'),
  totalAmount: text('Total.'),
  totalDiscountAmount: text('Total discount.'),
  voided: text('Whether it was voided.'),
} satisfies Record<keyof PosTexts, TUnsafe<string>>;

export const EVENT_TABLE_ROW_SCHEMA = Type.Object(
  {
    ...nullableFields(POS_TEXT_FIELDS),
    assignedCameraList: listOf(ruuid('Camera.'), 'Cameras that see the register.'),
  },
  { title: 'EventTableRow' },
);

export function eventTableRow(body: PosEventBody): Static<typeof EVENT_TABLE_ROW_SCHEMA> {
  return { ...answeredFields(POS_TEXT_FIELDS, body), assignedCameraList: [...body.assignedCameraList] };
}
