/** Ends of access that the store does not have: those that an earlier run of this node kept are in force before anyone is let in. */

import { join } from 'node:path';
import { actAs } from '../../audit/acting-principal.ts';
import { type EndsCluster, shareEnds } from '../../cluster/adapters/cluster-ends.ts';
import type { DeviceDirectory } from '../../sharing/device-directory.ts';
import { EndFile } from '../../sharing/end-file.ts';
import type { ShareDirectory } from '../../sharing/share-directory.ts';
import { UnstoredEnds } from '../../sharing/unstored-ends.ts';
import { UNSTORED_ENDS_FILE } from '../config/data-folder.ts';
import type { Cleanup } from '../process/cleanup.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { StoreStage } from './start-store.ts';

/** Where a node keeps its ends. */
export type EndsFile = Pick<EndFile, 'all' | 'add' | 'remove' | 'close'>;

export async function openUnstoredEnds(
  { config, clock, log }: GatewayOptions,
  {
    store,
    apiThread,
  }: Pick<StoreStage, 'store'> & { readonly apiThread: Pick<StoreStage['apiThread'], 'notify'> },
  of: {
    readonly directory: ShareDirectory;
    readonly deviceDirectory: DeviceDirectory;
    readonly cluster: EndsCluster | null;
    /** Default: in the data folder. */
    readonly file?: EndsFile | undefined;
  },
  cleanup: Cleanup,
): Promise<UnstoredEnds> {
  const path = join(config.data, UNSTORED_ENDS_FILE);
  const file = of.file ?? (await EndFile.open(path, log));
  cleanup.add('file of unstored ends', () => file.close());
  const ends = new UnstoredEnds({
    store,
    directory: of.directory,
    devices: of.deviceDirectory,
    file,
    actAs,
    clock,
    log,
    onCredentials: (names) => apiThread.notify({ kind: 'endedCredentials', names }),
  });
  cleanup.add('unstored ends of access', () => ends.close());
  await ends.resume(file.all());
  if (of.cluster === null) return ends;
  const stop = await shareEnds(of.cluster, ends, clock);
  cleanup.add('ends of other nodes', async () => stop());
  return ends;
}
