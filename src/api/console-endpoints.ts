/** POST /api/console/…: what the console needs of itself: people, sessions, the state of the gateway. Specific to Sluice. */

import type { Endpoint } from '../http/endpoint.ts';
import { CONFIG_ENDPOINTS } from './console/config.ts';
import { PASSKEY_ENDPOINTS } from './console/passkeys.ts';
import { PEOPLE_ENDPOINTS } from './console/people.ts';
import { PUBLIC_URL_ENDPOINTS } from './console/public-url.ts';
import { SERVICE_LEVEL_ENDPOINTS } from './console/service-levels.ts';
import { SESSION_ENDPOINTS } from './console/sessions.ts';
import { SYSTEM_ENDPOINTS } from './console/system.ts';

export const CONSOLE_ENDPOINTS: readonly Endpoint[] = [
  ...PASSKEY_ENDPOINTS,
  ...SESSION_ENDPOINTS,
  ...PEOPLE_ENDPOINTS,
  ...SYSTEM_ENDPOINTS,
  ...CONFIG_ENDPOINTS,
  ...SERVICE_LEVEL_ENDPOINTS,
  ...PUBLIC_URL_ENDPOINTS,
];
