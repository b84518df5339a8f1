/** POST /api/console/validateConfig: what is wrong with a configuration. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { flag, int32, listOf, text } from '../../http/fields/field-types.ts';
import { CONFIG_FINDING_SCHEMA, EXAMPLE_CONFIG_FINDING } from './config-types.ts';
import { OPERATORS_ONLY } from './operators-only.ts';

/** Longer files are checked by `sluice check`, or here without `yaml`. */
const MAX_YAML_LENGTH = 262_144;

export const validateConfig = defineEndpoint({
  path: '/api/console/validateConfig',
  summary: 'Says what is wrong with a configuration, without applying it.',
  description:
    `${OPERATORS_ONLY} The check is that of \`sluice check\`, without opening cameras or the database, and with the ` +
    'environment of the gateway, which takes precedence over the file. Without `yaml`, it checks the gateway’s own configuration ' +
    'file as it is now. No finding repeats a secret.',
  isExtension: true,
  request: Type.Object({
    yaml: Type.Optional(text('A configuration file. Default: the gateway’s own.', MAX_YAML_LENGTH)),
  }),
  response: {
    isValid: flag('Whether the gateway would start with it.'),
    findings: listOf(CONFIG_FINDING_SCHEMA, 'What is wrong, up to 200.'),
    findingCount: int32('How many findings there are in all.'),
  },
  example: {
    request: { yaml: 'hls:\n  window: 4s\n  segmentTarget: 2s\n' },
    response: { isValid: false, findings: [EXAMPLE_CONFIG_FINDING], findingCount: 1 },
  },
  async handler({ caller, services }, { yaml = null }) {
    const { findings, count } = await services.system.checkConfig(caller, yaml);
    return { isValid: count === 0, findings: [...findings], findingCount: count };
  },
});
