/** POST /api/console/getEffectiveConfig: every setting, its value, its origin, and what applies a change. */

import { type Static, Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, listOf, nullable, plainText } from '../../http/fields/field-types.ts';
import type { EffectiveSetting } from '../../system/config-view.ts';
import { LIST_INPUT, SETTING_SCHEMA } from './config-types.ts';
import { OPERATORS_ONLY } from './operators-only.ts';

/** Records whose settings are in one response: some 25 settings each. */
const MAX_RECORDS = 100;
const DEFAULT_RECORDS = 20;
const MAX_OFFSET = 1_000_000;

export const getEffectiveConfig = defineEndpoint({
  path: '/api/console/getEffectiveConfig',
  summary: 'Reads the configuration in effect.',
  description:
    `${OPERATORS_ONLY} Without \`list\`, every setting outside the lists of locations, NVRs and cameras. With it, the ` +
    'settings of some records of that list. Values are as written in the file or the environment. Passwords, keys and URLs that ' +
    'can contain them are only said to be set or not. Records of these lists that the API created are not in the file.',
  isExtension: true,
  request: Type.Object({
    list: Type.Optional(LIST_INPUT),
    offset: Type.Optional(int32('With `list`: how many records to skip. Default 0.', 0, MAX_OFFSET)),
    limit: Type.Optional(
      int32(`With \`list\`: how many records to read. Default ${DEFAULT_RECORDS}.`, 1, MAX_RECORDS),
    ),
  }),
  response: {
    file: nullable(plainText('The configuration file. Absent: the gateway was started without one.')),
    settings: listOf(SETTING_SCHEMA, 'In the order of the reference.'),
    locations: int32('Locations in the file.'),
    nvrs: int32('NVRs in the file.'),
    cameras: int32('Cameras in the file.'),
  },
  example: {
    request: {},
    response: {
      file: '/etc/sluice/sluice.yaml',
      settings: [
        {
          ...{ path: 'hls.window', value: '16s', isSecret: false, isSet: true },
          expected: 'a duration with a unit (ms, s, m, h, d) from 4s to 10m, such as "2s"',
          ...{ source: 'file', file: '/etc/sluice/sluice.yaml', line: 12, variable: null },
          ...{ appliesOn: 'restart', isPending: false },
        },
      ],
      ...{ locations: 2, nvrs: 1, cameras: 40 },
    },
  },
  async handler({ caller, services }, { list = null, offset = 0, limit = DEFAULT_RECORDS }) {
    const { file, settings, records } = await services.system.settings(caller, { list, offset, limit });
    return { file, settings: settings.map(answerOf), ...records };
  },
});

function answerOf({ source, ...setting }: EffectiveSetting): Static<typeof SETTING_SCHEMA> {
  return {
    ...setting,
    source: source.kind,
    file: source.kind === 'file' ? source.file : null,
    line: source.kind === 'file' ? source.line : null,
    variable: source.kind === 'environment' ? source.variable : null,
  };
}
