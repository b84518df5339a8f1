/**
 * Refusals of the gateway in the words of the console, by error code, for the languages that the gateway does not speak. Loaded at the first
 * refusal. Codes that are not here keep the gateway's own sentence, in English.
 */

import type { Values } from '../words/plain-words.ts';
import { t } from './words.ts';

type Sentence = (fields: Values) => string;

export const ERROR_SENTENCES: Readonly<Record<string, Sentence>> = {
  AUTHENTICATION_FAILED: () => t('You are not signed in, or no longer.'),
  ROLE_REQUIRED: () => t('Your role does not allow this.'),
  SCOPE_REFUSED: () => t('Your rights are limited to sites and cameras, and this is not part of them.'),
  STORE_NOT_IN_VIEW: () => t('This is outside the sites and cameras that you see.'),
  API_RATE_LIMITED: () => t('Too many requests. Wait a moment.'),
  OVERLOADED: () => t('The gateway is too busy. Try again in a moment.'),
  API_SHUTTING_DOWN: () => t('The gateway is stopping. Try again in a moment.'),
  REQUEST_TIMED_OUT: () => t('The request took too long. The change may still have been made.'),
  INTERNAL: () => t('The gateway has a problem of its own. Its log has the details.'),
  STORE_DISK_FULL: () => t('The disk of the gateway’s database is full.'),
  STORE_UNREACHABLE: () => t('The gateway cannot reach its database.'),
  STORE_BUSY: () => t('The gateway’s database is too busy. Try again in a moment.'),

  EMERGENCY_NOT_FOUND: () => t('This emergency no longer exists.'),
  EMERGENCY_CLOSED: () => t('The emergency has ended. Open another one.'),
  EMERGENCY_TOO_LONG: () => t('An emergency can be open for at most 24 hours. Open another one.'),
  EMERGENCY_PARTNER_NOT_FOUND: () => t('This partner no longer exists.'),
  EMERGENCY_PARTNER_USED: () => t('A rule opens cameras to this partner. Change or delete the rule first.'),
  TOO_MANY_EMERGENCIES: () => t('As many emergencies are open as can be. Close one first.'),
  TOO_MANY_EMERGENCY_PARTNERS: () => t('There are as many partners as there can be. Delete one first.'),
  TOO_MANY_EMERGENCY_RULES: () => t('There are as many rules as there can be. Delete one first.'),

  API_TOKEN_NOT_FOUND: () => t('This key no longer exists.'),
  API_TOKEN_UNNAMED: () => t('The name is missing.'),
  API_TOKEN_EXPIRATION_INVALID: () => t('Choose a time in the future.'),
  TOO_MANY_API_TOKENS: () => t('The organization has as many keys as it can. Revoke unused ones.'),
  ACCESS_SCOPE_UNKNOWN: () => t('A chosen site or camera no longer exists.'),
  ACCESS_SCOPE_OF_ADMIN: () => t('Administrators see the whole organization. Choose another role.'),

  PERSON_NOT_FOUND: () => t('This person no longer exists.'),
  PERSON_UNNAMED: () => t('The name is missing.'),
  PERSON_EMAIL_INVALID: () => t('This is not an email address.'),
  PERSON_EMAIL_TAKEN: () => t('Someone in the organization already has this email address.'),
  PERSON_PROVISIONED: () =>
    t('The directory already added this person. They need no invitation: they sign in with single sign-on.'),
  PERSON_DEPROVISIONED: () =>
    t('The directory deactivated this person. Activate them there: an invitation would not let them in.'),
  PERSON_EMAIL_REQUIRED: () => t('To sign in with a password, you need an email address. Set it first.'),
  PERSON_PASSWORD_TOO_SHORT: ({ limit }) =>
    t('The password must have at least {limit, number} characters.', { limit: Number(limit) }),
  PERSON_PASSWORD_TOO_LONG: ({ limit }) =>
    t('The password must have at most {limit, number} characters.', { limit: Number(limit) }),
  PASSWORD_WRONG: () => t('The current password is wrong.'),
  SIGN_IN_FAILED: () => t('The email address or the password is wrong.'),
  SIGN_IN_LIMITED: () => t('Too many failed attempts. Wait a moment.'),
  LAST_WAY_TO_SIGN_IN: () =>
    t('This is the only way to sign in. Set a password or add another passkey first.'),
  INVITATION_INVALID: () => t('This invitation has expired or was already used. Ask for a new one.'),
  TOO_MANY_PEOPLE: () => t('The organization has as many people as it can. Remove some first.'),
  TOO_MANY_INVITATIONS: () => t('Too many invitations are open. Withdraw some, or wait until they expire.'),
  PASSKEY_REFUSED: () => t('This passkey was not accepted. Try again, or sign in another way.'),
  PASSKEY_NOT_CONFIRMED: () => t('This passkey was not accepted. Try again, or use your password.'),
  PASSKEY_INVALID: () => t('The passkey was not accepted, or it took too long. Try again.'),
  PASSKEY_TAKEN: () => t('This passkey has already been added.'),
  TOO_MANY_PASSKEYS: () => t('There is no room for another passkey. Remove one first.'),

  SHARE_NOT_FOUND: () => t('This link no longer exists.'),
  SHARE_CAMERA_NOT_FOUND: () => t('This camera no longer exists.'),
  SHARE_SCHEDULE_NOT_FOUND: () => t('This schedule no longer exists.'),
  SHARE_EXPIRY_INVALID: () => t('Choose a time in the future.'),
  TOO_MANY_SHARES: () => t('The organization has as many links as it can. Delete some that are not needed.'),
  SCHEDULE_NOT_FOUND: () => t('This schedule no longer exists.'),
  SCHEDULE_IN_USE: () => t('Links use this schedule. Choose another one for them first.'),
  TOO_MANY_SCHEDULES: () => t('The organization has as many schedules as it can. Delete some first.'),
  VIDEO_WALL_NOT_FOUND: () => t('This wall no longer exists.'),
  VIDEO_WALL_UNNAMED: () => t('The name is missing.'),
  TOO_MANY_VIDEO_WALLS: () => t('The organization has as many walls as it can. Delete some first.'),

  CAMERA_NOT_FOUND: () => t('This camera no longer exists.'),
  CAMERA_UNNAMED: () => t('The name is missing.'),
  CAMERA_SOURCE_URL_INVALID: () =>
    t('This is not an address of a camera, such as rtsp://192.0.2.10/stream1.'),
  CAMERA_PASSWORD_NEEDED: () => t('The stored password is for the former address. Give the password again.'),
  TOO_MANY_CAMERAS: () => t('The organization has as many cameras as it can.'),
  DIRECT_ADDRESS_REFUSED: () => t('This address is on the gateway’s own machine, which is not allowed.'),
  DIRECT_OUTSIDE_ORGANIZATION_NETWORKS: ({ networks }) =>
    t('The address is outside the networks of the organization’s cameras: {networks}.', {
      networks: String(networks),
    }),
  LOCATION_NOT_FOUND: () => t('This site no longer exists.'),
  LOCATION_UNNAMED: () => t('The name is missing.'),
  LOCATION_IN_USE: () => t('The site is still in use.'),
  TOO_MANY_LOCATIONS: () => t('The organization has as many sites as it can.'),
  TOO_MANY_FLOOR_PLANS: () => t('The organization has as many floor plans as it can. Remove one first.'),
  NVR_NOT_FOUND: () => t('This recorder no longer exists.'),
  CAMERA_IMAGE_UNAVAILABLE: () => t('The camera is not streaming, so there is no current image.'),
  CLIP_TOO_LONG: () => t('A clip can be at most 60 minutes long.'),
  CLIP_AHEAD: () => t('The clip would begin in the future.'),
  CLIP_JOBS_FULL: () => t('Too many clips are being made or have failed. Wait, or delete failed ones.'),
  SAVED_CLIP_NOT_FOUND: () => t('This clip no longer exists.'),
  WEBHOOK_URL_INVALID: () => t('This is not an address that a webhook can call.'),
  WEBHOOK_ADDRESS_REFUSED: () => t('The host is in a private network, which is not allowed.'),
};

/** null: the gateway's own sentence is all there is. */
export function errorSentence(code: string | null, fields: Values): string | null {
  if (code === null || !Object.hasOwn(ERROR_SENTENCES, code)) return null;
  return ERROR_SENTENCES[code]!(fields);
}
