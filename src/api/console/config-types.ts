/** The types of what the API says about the configuration. */

import { Type } from 'typebox';
import { flag, int32, namedType, nullable, oneOf, plainText } from '../../http/fields/field-types.ts';
import type { ConfigFinding } from '../../system/config-view.ts';

/** The configuration file's list of a kind of record. */
export const LIST_INPUT = oneOf(['locations', 'nvrs', 'cameras'], 'A list of records in the file.');

export const SETTING_SCHEMA = namedType('EffectiveSetting', {
  path: plainText('Its key, such as `hls.window` or `cameras[2].rtsp`.'),
  value: nullable(plainText('As written, with its unit. Absent if it is not set, and for secrets.')),
  isSecret: flag('Whether it is a secret, whose value is never shown.'),
  isSet: flag('Whether it has a value, its default included.'),
  expected: plainText('What its value must be.'),
  source: oneOf(['default', 'file', 'environment'], 'Where its value came from.'),
  file: nullable(plainText('The file that it came from.')),
  line: nullable(int32('Its line in that file.')),
  variable: nullable(plainText('The environment variable that it came from.')),
  appliesOn: oneOf(['reload', 'restart'], 'What brings a change of the file into effect.'),
  isPending: flag('Whether the file was reloaded with another value, which a restart will apply.'),
});

export const CONFIG_FINDING_SCHEMA = namedType('ConfigFinding', {
  path: plainText('The key that it is about; empty for the whole.'),
  line: nullable(int32('The line that it is about.')),
  column: nullable(int32('The column.')),
  variable: nullable(plainText('The environment variable that it is about.')),
  sentence: plainText('What is wrong.'),
});

export const RELOADED_RECORDS_SCHEMA = Type.Object(
  {
    created: int32('New ones.'),
    updated: int32('Changed ones.'),
    unchanged: int32('Those that are as before. Viewers of unchanged cameras notice nothing.'),
    removed: int32('Those that the file no longer has.'),
  },
  { title: 'ReloadedRecords' },
);

export const EXAMPLE_CONFIG_FINDING: ConfigFinding = {
  ...{ path: 'hls.window', line: 12, column: 11, variable: null },
  sentence: 'hls.window: must be at least three times hls.segmentTarget.',
};
