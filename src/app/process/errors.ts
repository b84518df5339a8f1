/** Error codes of the command line. */

import { defineErrors } from '../../core/errors.ts';

export const APP_ERRORS = defineErrors({
  CLI_OPTION_INVALID: { kind: 'invalid-input', message: 'A command-line option has an invalid value.' },
  API_THREAD_FAILED: { kind: 'internal', message: 'The thread of the management API ended unexpectedly.' },
  VIEWER_THREAD_FAILED: { kind: 'internal', message: 'A thread that serves viewers ended unexpectedly.' },
  CLI_LISTEN_FAILED: { kind: 'conflict', message: 'The gateway cannot listen on this address.' },
  VERIFY_UNREADABLE: {
    kind: 'invalid-input',
    message: 'What should be checked cannot be read.',
  },
  IMPORT_FILE_UNREADABLE: { kind: 'invalid-input', message: 'The import file cannot be read.' },
  CLI_NODE_NOT_RUNNING: {
    kind: 'not-found',
    message: 'No node of a cluster runs with this data folder on this machine.',
  },
  CLI_UPLOAD_KEY_MISSING: {
    kind: 'invalid-input',
    message: 'There is no API key: set SLUICE_UPLOAD_KEY, or name a file with --key-file.',
  },
  CLI_UPLOAD_FILE_UNREADABLE: { kind: 'invalid-input', message: 'The file cannot be read.' },
});
