/** What a policy alert knows about its footage, returned only with its details. */

import { mapOf, oneOf, text } from '../../http/fields/field-types.ts';
import { BOUNDING_BOX_FIELDS, givenRecords, SEEK_POINT_FIELDS } from '../types/detection-type.ts';

const CLIENT_TYPES = [
  'PARTNER_DEVELOPER',
  'DEVELOPER',
  'INTERNAL_SALESFORCE',
  'TVOS',
  'KIOSK',
  'KEYPAD',
  'SQUARE',
  'BADGE_VENDOR_B',
  'OPENPATH',
  'POINT_OF_SALE',
  'BADGE_VENDOR_C',
  'EXECUTABLE',
  'HALO',
  'SALTO',
  'BUTTERFLYMX',
  'BADGE_VENDOR_A',
  'PRODATAKEY',
  'ENVOY',
  'ALARM_VENDOR',
  'PIMLOC',
  'PLACEOS',
  'OMNIALERT',
  'FLIC',
  'NINEONEONECELLULAR',
  'CHATBOT',
  'UNKNOWN',
] as const;

const boxes = givenRecords('ClipBoundingBox', BOUNDING_BOX_FIELDS, 'Boxes in the image.');
const seekPoints = givenRecords('ClipSeekPointV2', SEEK_POINT_FIELDS, 'Points in time.');

/** As in the rows of a report. */
export const ALERT_FOOTAGE_FIELDS = {
  clientType: oneOf(CLIENT_TYPES, 'The kind of client that raised it.'),
  thirdPartyDeviceName: text('Name of a third-party device.'),
  boundingBoxes: boxes,
  boundingBoxesMap: mapOf(boxes, 'Boxes, by device.'),
  seekPoints,
  seekPointsMap: mapOf(seekPoints, 'Points in time, by device.'),
  componentCompositeSeekPointsMap: mapOf(seekPoints, 'Points in time, by component.'),
};
