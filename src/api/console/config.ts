/** The configuration in effect, its check, and its reload. */

import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  flag,
  int32,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  text,
} from '../../http/fields/field-types.ts';
import type { ConfigFinding, EffectiveSetting } from '../../system/config-view.ts';
import { OPERATORS_ONLY } from './console-types.ts';

/** The configuration file's list of a kind of record. */
const LIST_INPUT = oneOf(['locations', 'nvrs', 'cameras'], 'A list of records in the file.');

const SETTING_SCHEMA = namedType('EffectiveSetting', {
  path: plainText('Its key, such as `hls.window` or `cameras[2].rtsp`.'),
  value: nullable(plainText('As written, with its unit. Absent if it is not set, and for secrets.')),
  isSecret: flag('Whether it is a secret, whose value is never shown.'),
  isSet: flag('Whether it has a value, its default included.'),
  expected: plainText('What its value must be.'),
  choices: listOf(plainText('A value.'), 'All accepted values, if they are few.'),
  meaning: plainText('What it is for.'),
  defaultValue: nullable(plainText('Its default, as written; absent: it has none.')),
  whenAbsent: nullable(plainText('What leaving it out means, if it has no default.')),
  source: oneOf(['default', 'file', 'console', 'environment'], 'Where its value came from.'),
  file: nullable(plainText('The file that it came from.')),
  line: nullable(int32('Its line in that file.')),
  variable: nullable(plainText('The environment variable that it came from.')),
  appliesOn: oneOf(['reload', 'restart'], 'What brings a change of the file into effect.'),
  isPending: flag('Whether another value was read since the start, which a restart will apply.'),
  nextValue: nullable(plainText('That value; absent: none waits, it will not be set, or it is a secret.')),
  isInConsole: flag('Whether it was edited in the console, with `updateSettings`.'),
  consoleValue: nullable(
    plainText(
      'The saved value. Absent if nothing was saved, if the setting was emptied, or if it is a secret.',
    ),
  ),
  lock: nullable(
    oneOf(
      ['environment', 'start', 'machine', 'record'],
      'Why it cannot be edited in the console; absent: it can. `environment`: `variable` sets it. `start`: it is needed before what ' +
        'the console saved can be read. `machine`: it names a program or a folder. `record`: it belongs to a record of the file.',
    ),
  ),
  isOfNode: flag('Whether the console saves it for one node of a cluster, not for all.'),
});

export const CONFIG_FINDING_SCHEMA = namedType('ConfigFinding', {
  path: plainText('The key that it is about; empty for the whole.'),
  line: nullable(int32('The line that it is about.')),
  column: nullable(int32('The column.')),
  variable: nullable(plainText('The environment variable that it is about.')),
  sentence: plainText('What is wrong.'),
});

const RELOADED_RECORDS_SCHEMA = Type.Object(
  {
    created: int32('New ones.'),
    updated: int32('Changed ones.'),
    unchanged: int32('Those that are as before. Viewers of unchanged cameras notice nothing.'),
    removed: int32('Those that the file no longer has.'),
  },
  { title: 'ReloadedRecords' },
);

export const EXAMPLE_CONFIG_FINDING: ConfigFinding = {
  path: 'hls.window',
  line: 12,
  column: 11,
  variable: null,
  sentence: 'hls.window: must be at least three times hls.segmentTarget.',
};

/** Records whose settings are in one response: some 25 settings each. */
const MAX_RECORDS = 100;
const DEFAULT_RECORDS = 20;
const MAX_OFFSET = 1_000_000;

const getEffectiveConfig = defineEndpoint({
  path: '/api/console/getEffectiveConfig',
  summary: 'Reads the configuration in effect.',
  description:
    `${OPERATORS_ONLY} Without \`list\`, every setting outside the lists of locations, NVRs and cameras. With it, the ` +
    'settings of some records of that list. Values are as written in the file, the console, or the environment. Passwords, keys and URLs that ' +
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
    revision: int32('For `updateSettings`: counts the changes in the console.'),
    ignoredBecause: nullable(
      oneOf(
        ['option', 'invalid', 'unreadable', 'start'],
        'Why the settings of the console are not in effect; absent: they are. `option`: `sluice serve --ignore-console-settings`. ' +
          '`invalid`: they do not fit the file. `unreadable`: what was saved is damaged. `start`: the gateway did not start with them.',
      ),
    ),
    ignoredDetail: nullable(plainText('What is wrong with them.')),
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
          path: 'hls.window',
          value: '16s',
          isSecret: false,
          isSet: true,
          expected: 'a duration with a unit (ms, s, m, h, d) from 4s to 10m, such as "2s"',
          choices: [],
          meaning: 'How much video a playlist lists.',
          defaultValue: '16s',
          whenAbsent: null,
          source: 'file',
          file: '/etc/sluice/sluice.yaml',
          line: 12,
          variable: null,
          appliesOn: 'restart',
          isPending: false,
          nextValue: null,
          isInConsole: false,
          consoleValue: null,
          lock: null,
          isOfNode: false,
        },
      ],
      revision: 0,
      ignoredBecause: null,
      ignoredDetail: null,
      locations: 2,
      nvrs: 1,
      cameras: 40,
    },
  },
  async handler({ caller, services }, { list = null, offset = 0, limit = DEFAULT_RECORDS }) {
    const query = { list, offset, limit };
    const { config, revision, state } = await services.system.settings.read(caller, query);
    const { file, settings, records } = config;
    return {
      file,
      settings: settings.map(responseOf),
      revision,
      ignoredBecause: state.ignored?.reason ?? null,
      ignoredDetail: state.ignored?.detail || null,
      ...records,
    };
  },
});

function responseOf({ source, ...setting }: EffectiveSetting): Static<typeof SETTING_SCHEMA> {
  return {
    ...setting,
    choices: [...setting.choices],
    source: source.kind,
    file: source.kind === 'file' ? source.file : null,
    line: source.kind === 'file' ? source.line : null,
    variable: source.kind === 'environment' ? source.variable : null,
  };
}

/** Longer files are checked by `sluice check`, or here without `yaml`. */
const MAX_YAML_LENGTH = 262_144;

const validateConfig = defineEndpoint({
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

const reloadConfig = defineEndpoint({
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

export const CONFIG_ENDPOINTS: readonly Endpoint[] = [getEffectiveConfig, validateConfig, reloadConfig];
