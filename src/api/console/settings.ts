/** Settings that are edited in the console, their history, and the restart that some of them need. */

import { type Static, Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  flag,
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { MAX_KEPT_CHANGES, type SettingEdit } from '../../system/console-settings.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { CONFIG_FINDING_SCHEMA, EXAMPLE_CONFIG_FINDING } from './config.ts';
import { OPERATORS_ONLY } from './console-types.ts';

const MAX_PATH_LENGTH = 128;
/** As long as a list of 256 networks. */
const MAX_VALUE_LENGTH = 16_384;
const MAX_EDITS = 200;
const MAX_REVISION = 2_147_483_647;

const EDIT_INPUT = namedType('SettingEditInput', {
  path: text('The key, such as `public.mediaUrl`.', MAX_PATH_LENGTH),
  action: oneOf(
    ['SET', 'UNSET', 'RESET'],
    '`SET`: use `value`. `UNSET`: use no value, whatever the file has. `RESET`: use the value of the file.',
  ),
  value: Type.Optional(
    text('With `SET`: the value as written in the file, with its unit; lists with commas.', MAX_VALUE_LENGTH),
  ),
});

const EDITS_INPUT = Type.Array(EDIT_INPUT, {
  minItems: 1,
  maxItems: MAX_EDITS,
  description: 'What to change, together.',
});

function editOf({ path, action, value = '' }: Static<typeof EDIT_INPUT>): SettingEdit {
  if (action === 'RESET') return { path, kind: 'reset' };
  return { path, kind: 'set', value: action === 'UNSET' ? null : value };
}

const REVISION_INPUT = int32(
  'The revision that you read with `getEffectiveConfig`. If someone changed settings since, nothing is saved.',
  0,
  MAX_REVISION,
);

const SAVED_FIELDS = {
  revision: int32('The revision after the change.'),
  applied: listOf(plainText('A key.'), 'Settings that are in effect now.'),
  needsRestart: listOf(plainText('A key.'), 'Settings that a restart applies: `restartGateway`.'),
};

const EXAMPLE_EDIT = { path: 'hls.window', action: 'SET', value: '30s' } as const;
const EXAMPLE_SAVED = { revision: 1, applied: [], needsRestart: ['hls.window'] };

const validateSettings = defineEndpoint({
  path: '/api/console/validateSettings',
  summary: 'Says what would be wrong with edited settings, without saving them.',
  description:
    `${OPERATORS_ONLY} The check is that of the configuration file, with the file of this moment, what the console saved before, and the ` +
    'environment. No finding repeats a secret.',
  isExtension: true,
  request: Type.Object({ changes: EDITS_INPUT }),
  response: {
    isValid: flag('Whether they could be saved.'),
    findings: listOf(CONFIG_FINDING_SCHEMA, 'What is wrong, up to 200.'),
  },
  example: {
    request: { changes: [{ path: 'hls.window', action: 'SET', value: '4s' }] },
    response: { isValid: false, findings: [{ ...EXAMPLE_CONFIG_FINDING, line: null, column: null }] },
  },
  async handler({ caller, services }, { changes }) {
    const { findings, count } = await services.system.settings.check(caller, changes.map(editOf));
    return { isValid: count === 0, findings: [...findings] };
  },
});

const updateSettings = defineEndpoint({
  path: '/api/console/updateSettings',
  summary: 'Saves settings that take precedence over the configuration file.',
  description:
    `${OPERATORS_ONLY} The configuration file stays as it is; what is saved here takes precedence over it, and the environment takes ` +
    'precedence over both. Everything is checked together, like the file; if anything is invalid, nothing is saved. Then it is applied ' +
    'like a reload of the file. Settings that `getEffectiveConfig` calls locked cannot be set. Addresses of listeners and certificates ' +
    'are saved for the node that responds, everything else for all nodes. Values of secrets are stored encrypted, and never returned.',
  isExtension: true,
  repetition: 'single-use',
  request: Type.Object({ revision: REVISION_INPUT, changes: EDITS_INPUT }),
  response: SAVED_FIELDS,
  example: { request: { revision: 0, changes: [EXAMPLE_EDIT] }, response: EXAMPLE_SAVED },
  async handler({ caller, services }, { revision, changes }) {
    const saved = await services.system.settings.update(caller, revision, changes.map(editOf));
    return { ...saved, applied: [...saved.applied], needsRestart: [...saved.needsRestart] };
  },
});

const CHANGED_SETTING = namedType('ChangedSetting', {
  path: plainText('Its key.'),
  nodeId: nullable(plainText('The node whose setting it is; absent: that of all nodes.')),
  isSecret: flag('Whether its values are left out because they are secrets.'),
  wasInConsole: flag('Whether the console had a value before. If not, the value of the file counted.'),
  isInConsole: flag('Whether the console has had a value since. If not, the value of the file counts.'),
  before: nullable(
    plainText(
      'The value before. Absent if the console had none, if the setting was empty, or if it is a secret.',
    ),
  ),
  after: nullable(plainText('The value after. Absent as for `before`.')),
});

const SETTINGS_CHANGE = namedType('SettingsChange', {
  revision: int32('Identifies the change: the revision after it.'),
  changedAtMs: int64('When, epoch milliseconds.'),
  actorUuid: ruuid('The person or the key.'),
  actorName: plainText('Their name at that time.'),
  settings: listOf(CHANGED_SETTING, 'What changed.'),
  revertsRevision: nullable(int32('The change that it undid; absent: none.')),
});

const getSettingsChanges = defineEndpoint({
  path: '/api/console/getSettingsChanges',
  summary: 'Lists the last changes of settings in the console.',
  description: `${OPERATORS_ONLY} The last ${MAX_KEPT_CHANGES} changes. Each can be undone with \`revertSettings\`.`,
  isExtension: true,
  request: Type.Object({}),
  response: {
    revision: int32('The revision now.'),
    changes: listOf(SETTINGS_CHANGE, 'The newest first.'),
  },
  example: {
    request: {},
    response: {
      revision: 1,
      changes: [
        {
          revision: 1,
          changedAtMs: EXAMPLE_TIME_MS,
          actorUuid: deriveRuuid('example', 'person'),
          actorName: 'Ada Lovelace',
          settings: [
            {
              path: 'hls.window',
              nodeId: null,
              isSecret: false,
              wasInConsole: false,
              isInConsole: true,
              before: null,
              after: '30s',
            },
          ],
          revertsRevision: null,
        },
      ],
    },
  },
  async handler({ caller, services }) {
    const { revision, changes } = await services.system.settings.history(caller);
    return {
      revision,
      changes: changes.map(({ atEpochMs, actor, settings, reverts, ...change }) => ({
        revision: change.revision,
        changedAtMs: atEpochMs,
        actorUuid: actor.uuid,
        actorName: actor.name,
        settings: settings.map(({ node, ...setting }) => ({ ...setting, nodeId: node })),
        revertsRevision: reverts,
      })),
    };
  },
});

const revertSettings = defineEndpoint({
  path: '/api/console/revertSettings',
  summary: 'Undoes a change of settings in the console.',
  description:
    `${OPERATORS_ONLY} Gives the settings of that change the values that they had before, also if they have been changed again since. It is ` +
    'checked, saved and applied like `updateSettings`, and is a change that can be undone. Settings of another node are undone there.',
  isExtension: true,
  repetition: 'single-use',
  request: Type.Object({
    revision: REVISION_INPUT,
    changeRevision: int32('The change: its `revision` in `getSettingsChanges`.', 1, MAX_REVISION),
  }),
  response: SAVED_FIELDS,
  example: {
    request: { revision: 1, changeRevision: 1 },
    response: { ...EXAMPLE_SAVED, revision: 2 },
  },
  async handler({ caller, services }, { revision, changeRevision }) {
    const saved = await services.system.settings.revert(caller, revision, changeRevision);
    return { ...saved, applied: [...saved.applied], needsRestart: [...saved.needsRestart] };
  },
});

const restartGateway = defineEndpoint({
  path: '/api/console/restartGateway',
  summary: 'Restarts the gateway that responds, to apply settings that need it.',
  description:
    `${OPERATORS_ONLY} The response comes first. Then the gateway finishes what runs, closes cameras and recordings, and starts again in ` +
    'the same process, with the configuration file of that moment: for some seconds, nothing can be watched through it. If the file ' +
    'is invalid, it refuses the file and keeps its settings. If it cannot start with the settings of the console, it starts without them and `getSystemState` says so.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({}),
  response: {},
  example: { request: {}, response: {} },
  async handler({ caller, services }) {
    await services.system.restart(caller);
    return {};
  },
});

const MEDIA_ADDRESS = namedType('MediaAddress', {
  url: plainText('A base URL of links at this address.'),
  address: plainText('The address.'),
  interfaceName: plainText('The network interface of this machine.'),
  reach: oneOf(
    ['this-machine', 'own-network', 'everyone', 'unknown'],
    'Who can reach such an address: loopback, private and special networks, or the Internet.',
  ),
});

const getMediaAddresses = defineEndpoint({
  path: '/api/console/getMediaAddresses',
  summary: 'Lists addresses of the machine at which devices in the same network could open links.',
  description:
    `${OPERATORS_ONLY} IPv4 addresses of the network interfaces of the node that responds, with the port of its media listener. In a ` +
    'container, they are those of the container. Whether an address answers is for a device to try, with `createPublicUrlCheck`.',
  isExtension: true,
  request: Type.Object({}),
  response: {
    publicUrl: plainText('What links begin with now.'),
    listensAt: plainText('The host where the media listener accepts connections.'),
    port: int32('Its port.'),
    isLoopbackOnly: flag(
      'Whether only programs on this machine can connect, so that the addresses would work only with `listen.media` at `0.0.0.0`.',
    ),
    addresses: listOf(MEDIA_ADDRESS, 'The most likely one first, at most 8.'),
  },
  example: {
    request: {},
    response: {
      publicUrl: 'http://192.168.1.20:8081/',
      listensAt: '0.0.0.0',
      port: 8081,
      isLoopbackOnly: false,
      addresses: [
        {
          url: 'http://192.168.1.20:8081',
          address: '192.168.1.20',
          interfaceName: 'eth0',
          reach: 'own-network',
        },
      ],
    },
  },
  async handler({ caller, services }) {
    const { publicUrl, listener, isLoopbackOnly, addresses } = services.system.mediaAddresses(caller);
    return {
      publicUrl,
      listensAt: listener.host,
      port: listener.port,
      isLoopbackOnly,
      addresses: [...addresses],
    };
  },
});

export const SETTINGS_ENDPOINTS: readonly Endpoint[] = [
  validateSettings,
  updateSettings,
  getSettingsChanges,
  revertSettings,
  restartGateway,
  getMediaAddresses,
];
