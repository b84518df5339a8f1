/** POST /api/console/getLogTail: the newest records of the log. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import {
  int32,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  text,
} from '../../http/fields/field-types.ts';
import { LOG_LEVELS } from '../../system/log-tail.ts';
import { EXAMPLE_TIME_MS } from '../types/examples.ts';
import { OPERATORS_ONLY } from './operators-only.ts';

const MAX_RECORDS = 500;
const DEFAULT_RECORDS = 100;

const LOG_RECORD_SCHEMA = namedType('LogRecord', {
  id: int64('Ascending, until the gateway restarts.'),
  thread: oneOf(['gateway', 'api'], 'The thread that wrote it.'),
  level: oneOf(LOG_LEVELS, 'Its severity.'),
  timestampMs: nullable(int64('When it was written, in milliseconds since 1970.')),
  message: plainText('A constant for each kind of record.'),
  fieldsJson: plainText('Its other fields, as a JSON object.'),
});

export const getLogTail = defineEndpoint({
  path: '/api/console/getLogTail',
  summary: 'Reads the newest records of the log.',
  description:
    `${OPERATORS_ONLY} The gateway holds the last 2,000 records, and at most 4 MiB of them, of both of its threads. Passwords, keys ` +
    'and credentials in URLs are left out, as in the log itself. Records that `log.level` suppresses are not there. Without ' +
    '`afterId`, the newest records that match; with it, those that follow, oldest first. To follow the log, send `lastId` as the ' +
    'next `afterId`. If `lastId` is smaller than `afterId`, the gateway was restarted: leave `afterId` out once.',
  isExtension: true,
  request: Type.Object({
    afterId: Type.Optional(int64('Only records that are newer than this one.', 0)),
    level: Type.Optional(oneOf(LOG_LEVELS, 'The lowest severity. Default `debug`.')),
    text: Type.Optional(text('Only records that contain this, in upper or lower case.', 200)),
    limit: Type.Optional(int32(`How many records at most. Default ${DEFAULT_RECORDS}.`, 1, MAX_RECORDS)),
  }),
  response: {
    records: listOf(LOG_RECORD_SCHEMA, 'Oldest first.'),
    lastId: int64('The newest record that was looked at.'),
  },
  example: {
    request: { level: 'warn', limit: 1 },
    response: {
      records: [
        {
          ...{ id: 412, thread: 'gateway', level: 'warn', timestampMs: EXAMPLE_TIME_MS },
          ...{ message: 'camera offline', fieldsJson: '{"camera":"Lobby","code":"DIRECT_UNREACHABLE"}' },
        },
      ],
      lastId: 420,
    },
  },
  async handler({ caller, services }, body) {
    const { afterId = null, level = 'debug', text: wanted = '', limit = DEFAULT_RECORDS } = body;
    const tail = await services.system.logTail(caller, { afterId, level, text: wanted, limit });
    return {
      records: tail.records.map(({ atMs, ...record }) => ({ ...record, timestampMs: atMs })),
      lastId: tail.lastId,
    };
  },
});
