/**
 * What callers are told of refusals that are about a field of their request. Rooms know no requests: their errors say
 * what is wrong with the thing, and the context says with which part of it. Here that becomes the sentence that names the
 * field. Codes that are not here are answered with their own sentence.
 */

import type { RedirectUriRule } from '../../accounts/redirect-uri.ts';
import type { ErrorContext, GatewayError } from '../../core/errors.ts';

type Sentence = (context: ErrorContext) => string;

const REDIRECT_URI_RULES: Readonly<Record<RedirectUriRule, string>> = {
  absolute: 'redirectUri must be an absolute URI.',
  'no-fragment': 'redirectUri must have no fragment.',
  'no-user-info': 'redirectUri must have no user info.',
  scheme:
    'redirectUri must use https, http on a loopback address, or a private scheme such as com.example.app.',
};

const ACCOUNTS: Readonly<Record<string, Sentence>> = {
  ORGANISATION_NOT_FOUND: ({ named }) =>
    named === undefined
      ? 'The organisation does not exist any more.'
      : 'orgUuid must be the organisation that the request acts on, or a client of the partner.',
  ORGANISATION_UNNAMED: () => 'name must not be blank.',
  API_TOKEN_NOT_FOUND: () => 'There is no API token with this tokenUuid.',
  API_TOKEN_UNNAMED: () => 'displayName must not be blank.',
  FEDERATED_SESSION_DOMAIN_INVALID: () => 'domain must be the name of a host, such as desk.example.com.',
  OAUTH_APPLICATION_NOT_FOUND: () => 'There is no OAuth application with this clientId.',
  OAUTH_APPLICATION_UNNAMED: ({ given }) =>
    given === 'blank' ? 'name must not be blank.' : 'name is required.',
  OAUTH_REDIRECT_URI_REQUIRED: () => 'redirectUri is required.',
  OAUTH_REDIRECT_URI_INVALID: ({ rule }) => REDIRECT_URI_RULES[rule as RedirectUriRule],
  OAUTH_GRANT_NOT_FOUND: () => 'There is no grant with this grantUuid.',
  PHONE_NUMBER_INVALID: ({ index }) => `smsPhoneNumbers[${index}] must be a phone number.`,
  NOTIFICATION_INTERVAL_EMPTY: ({ frame }) =>
    `timeFrames[${frame}].interval.minuteOfDayStopExclusive must be later than minuteOfDayStartInclusive.`,
  NOTIFICATION_LOCATION_NOT_FOUND: ({ frame, row, list, index }) =>
    `timeFrames[${frame}].rows[${row}].${list}[${index}] must be a location of the organisation.`,
};

const REPORTS: Readonly<Record<string, Sentence>> = {
  REPORT_TOO_LONG: () =>
    'endTimeMs lies too far from startTimeMs: a report has at most 9,000 buckets and spans at most 20 years.',
  REPORT_RANGE_REVERSED: () => 'endTimeMs must not be before startTimeMs.',
  REPORT_TIME_ZONE_UNKNOWN: () => 'timeZone must be an IANA time zone such as America/New_York.',
  REPORT_DEVICE_NOT_FOUND: ({ index, hasReported }) => {
    if (index !== undefined) return `deviceUuids[${index}]: there is no device with this UUID.`;
    return hasReported === false
      ? 'There is no device with this UUID.'
      : 'deviceUuid: there is no device with this UUID.';
  },
  BUSINESS_DATE_INVALID: () => 'businessDate must be a date such as 2026-01-31 or 20260131.',
};

const SENTENCES: ReadonlyMap<string, Sentence> = new Map(Object.entries({ ...ACCOUNTS, ...REPORTS }));

/** The sentence of an answer: names the field where the error is about one. */
export function requestSentence({ code, context, message }: GatewayError): string {
  const sentence = SENTENCES.get(code);
  if (sentence !== undefined) return sentence(context);
  return typeof context.sentence === 'string' ? context.sentence : message;
}
