/** Error registries of the layers that the API's reference page cannot import, for docs/reference/errors.md. */

import type { ErrorDomain } from '../api/error-reference.ts';
import { FRONT_DOOR_ERRORS } from '../front-door/errors.ts';
import { CONFIG_ERRORS } from './config/errors.ts';
import { APP_ERRORS } from './errors.ts';

export const APP_ERROR_DOMAINS: readonly ErrorDomain[] = [
  { title: 'Front door', registry: FRONT_DOOR_ERRORS },
  { title: 'Configuration', registry: CONFIG_ERRORS },
  { title: 'Command line', registry: APP_ERRORS },
];
