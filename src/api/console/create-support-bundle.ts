/** POST /api/console/createSupportBundle: what to send to support. */

import { Type } from 'typebox';
import { defineEndpoint } from '../../http/endpoint.ts';
import { int32, plainText } from '../../http/fields/field-types.ts';
import { OPERATORS_ONLY } from './operators-only.ts';

export const createSupportBundle = defineEndpoint({
  path: '/api/console/createSupportBundle',
  summary: 'Makes a file to send to support.',
  description:
    `${OPERATORS_ONLY} The file is one JSON object, compressed with gzip, of at most 8 MiB: the state of the gateway and its ` +
    'findings, the configuration outside its lists, the counters of the last hour, the states of all camera streams by UUID, and ' +
    'the log that is in memory. It has no passwords, keys or tokens. The log can have names and addresses of cameras and of callers: ' +
    'look at it before you send it.',
  isExtension: true,
  repetition: 'expires',
  request: Type.Object({}),
  response: {
    fileName: plainText('A name for the file.'),
    contentBase64: plainText('The file, as Base64 (RFC 4648 section 4).'),
    sizeBytes: int32('The size of the file.'),
  },
  example: {
    request: {},
    response: {
      fileName: 'sluice-support-2026-01-01T000000Z.json.gz',
      contentBase64: 'H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==',
      sizeBytes: 22,
    },
  },
  async handler({ caller, services }) {
    const { bytes, createdAtEpochMs } = await services.system.bundle(caller);
    const time = new Date(createdAtEpochMs).toISOString().replace(/\.\d+/, '').replaceAll(':', '');
    return {
      fileName: `sluice-support-${time}.json.gz`,
      contentBase64: bytes.toString('base64'),
      sizeBytes: bytes.length,
    };
  },
});
