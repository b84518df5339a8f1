/** The kind of client that an API key is for. */

import type { ApiKey, ApiKeyScheme } from '../store/entities.ts';

/** Sluice creates keys of the first three. Existing clients can name the others in a filter. */
export const API_CLIENT_TYPES = [
  'DEVELOPER',
  'PARTNER_DEVELOPER',
  'EXECUTABLE',
  'INTERNAL_SALESFORCE',
  'TVOS',
  'KIOSK',
  'KEYPAD',
  'SQUARE',
  'BADGE_VENDOR_A',
  'BADGE_VENDOR_B',
  'BADGE_VENDOR_C',
  'ALARM_VENDOR',
  'OPENPATH',
  'POINT_OF_SALE',
  'HALO',
  'SALTO',
  'BUTTERFLYMX',
  'PRODATAKEY',
  'ENVOY',
  'PIMLOC',
  'PLACEOS',
  'OMNIALERT',
  'FLIC',
  'NINEONEONECELLULAR',
  'CHATBOT',
  'UNKNOWN',
] as const;
export type ApiClientType = (typeof API_CLIENT_TYPES)[number];

const CLIENT_TYPE_BY_SCHEME: Readonly<Record<ApiKeyScheme, ApiClientType>> = {
  api: 'DEVELOPER',
  'partner-api': 'PARTNER_DEVELOPER',
  device: 'EXECUTABLE',
};

export function clientTypeOf({ scheme }: Pick<ApiKey, 'scheme'>): ApiClientType {
  return CLIENT_TYPE_BY_SCHEME[scheme];
}
