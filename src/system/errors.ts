/** Error codes of the calls about the gateway itself. */

import { defineErrors } from '../core/errors.ts';

export const SYSTEM_ERRORS = defineErrors({
  SYSTEM_CALLER_REFUSED: {
    kind: 'not-allowed',
    message:
      'This call is about the whole gateway. It requires an admin or an API key of the default organization, or of the default partner.',
  },
  COUNTED_CAMERA_NOT_FOUND: { kind: 'not-found', message: 'There is no camera with this UUID.' },
  CONFIG_RELOAD_REFUSED: {
    kind: 'invalid-input',
    message: 'The configuration file is invalid, so nothing changed.',
  },
  CONFIG_RELOAD_FAILED: {
    kind: 'unavailable',
    message: 'The store failed while the configuration was reloaded. Reload it again to apply the rest.',
  },
  CONFIG_WITHOUT_FILE: {
    kind: 'conflict',
    message: 'The gateway was started without a configuration file, so there is nothing to reload.',
  },
  SETTING_UNKNOWN: { kind: 'invalid-input', message: 'There is no such setting.' },
  SETTING_LOCKED: { kind: 'conflict', message: 'This setting cannot be changed in the console.' },
  SETTINGS_INVALID: {
    kind: 'invalid-input',
    message: 'The settings would be invalid, so nothing was saved.',
  },
  SETTINGS_CHANGED_MEANWHILE: {
    kind: 'conflict',
    message: 'Someone changed the settings in the meantime, so nothing was saved. Read them again.',
  },
  SETTINGS_CHANGE_NOT_FOUND: {
    kind: 'not-found',
    message: 'This change of the settings is not among those that can be undone.',
  },
  RESTART_UNAVAILABLE: {
    kind: 'conflict',
    message: 'This gateway cannot restart itself. Restart its process.',
  },
  CONFIG_CHECK_BUSY: {
    kind: 'unavailable',
    message: 'Too many configurations are being read. Try again in a moment.',
  },
  CONFIG_CHECK_FAILED: {
    kind: 'limit',
    message: 'The configuration took too long or too much memory to read.',
  },
  PUBLIC_URL_TEST_RUNNING: {
    kind: 'unavailable',
    message: 'The public URL is being tested. Try again in a moment.',
  },
  PUBLIC_URL_CHECK_NOT_FOUND: {
    kind: 'not-found',
    message: 'This check of the public URL has ended. Start another one.',
  },
  SUPPORT_BUNDLE_TOO_LARGE: {
    kind: 'limit',
    message: 'The support bundle would be larger than 8 MiB.',
  },
  SUPPORT_BUNDLE_RUNNING: {
    kind: 'unavailable',
    message: 'A support bundle is being made. Try again in a moment.',
  },
});
