/** POST /api/console/reloadConfig: reads the configuration file again. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { listOf, plainText } from '../../http/fields/field-types.ts';
import { RELOADED_RECORDS_SCHEMA } from './config-types.ts';
import { OPERATORS_ONLY } from './operators-only.ts';

export const reloadConfig = defineEndpoint({
  path: '/api/console/reloadConfig',
  summary: 'Reads the configuration file again and applies what can change while the gateway runs.',
  description:
    `${OPERATORS_ONLY} It does what SIGHUP does: reads the file that the gateway was started with, and applies locations, NVRs, ` +
    'cameras, the log level and retention. Everything else needs a restart, and `needsRestart` names it. If anything in the ' +
    'file is invalid, nothing changes, and the call fails with the first problems; `validateConfig` without `yaml` lists all of ' +
    'them. One reload runs at a time; a call meanwhile gets the result of the next one, which reads the file afterwards.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({}),
  response: {
    locations: RELOADED_RECORDS_SCHEMA,
    nvrs: RELOADED_RECORDS_SCHEMA,
    cameras: RELOADED_RECORDS_SCHEMA,
    applied: listOf(plainText('A key.'), 'Other settings that changed and are in effect now.'),
    needsRestart: listOf(
      plainText('A key.'),
      'Settings of the file that differ from those in effect, until a restart.',
    ),
  },
  example: {
    request: {},
    response: {
      locations: { created: 0, updated: 0, unchanged: 2, removed: 0 },
      nvrs: { created: 0, updated: 0, unchanged: 1, removed: 0 },
      cameras: { created: 1, updated: 2, unchanged: 37, removed: 0 },
      applied: ['log.level'],
      needsRestart: ['hls.window'],
    },
  },
  async handler({ caller, services }) {
    const { records, applied, needsRestart } = await services.system.reload(caller);
    return { ...records, applied: [...applied], needsRestart: [...needsRestart] };
  },
});
