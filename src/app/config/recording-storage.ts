/** Where recordings are stored, as the configuration says. */

import type { StorageSettings } from '../../recording/open-storage.ts';
import { recordingsFolder } from './data-folder.ts';
import type { Config } from './schema.ts';
import type { Secrets } from './secrets.ts';

/** Settings for every thread that reads or writes recordings. */
export function recordingStorage(
  { recording, s3, data }: Pick<Config, 'recording' | 's3' | 'data'>,
  { recordingKey: key }: Pick<Secrets, 'recordingKey'>,
): StorageSettings {
  const folder = recordingsFolder({ data, recording });
  const { bucket, region, endpoint, prefix, accessKeyId, secretAccessKey, spoolSizeBytes } = s3;
  if (bucket === null) return { folder, key, s3: null };
  const credentials =
    accessKeyId === null || secretAccessKey === null
      ? null
      : { accessKeyId, secretAccessKey: secretAccessKey.reveal() };
  const withSlash = prefix === null || prefix.endsWith('/') ? (prefix ?? '') : `${prefix}/`;
  return {
    folder,
    key,
    s3: {
      bucket,
      region,
      endpoint,
      prefix: withSlash,
      credentials,
      maxSpoolBytes: spoolSizeBytes,
      localMs: recording.tiers.localMs ?? 0,
    },
  };
}
