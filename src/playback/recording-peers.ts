/**
 * Requests between the nodes of a cluster about recordings: where the newest segments of a camera lie, and the bytes of files
 * that are on another node's disk (docs/design/recording.md#many-nodes).
 */

import type { NodeLink, RequestOptions } from '../cluster/links/node-link.ts';
import type { NodeLinks } from '../cluster/links/node-links.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { RECORDING_ERRORS } from '../recording/errors.ts';
import type { PackedFile } from '../recording/recording-finder.ts';
import type { RecordedStream } from '../recording/segment-index.ts';
import type { ReadJob } from './read-protocol.ts';
import type { RecordingReads } from './recording-reads.ts';

const KINDS = { unlisted: 'recording.unlisted', read: 'recording.read' } as const;
/** A node that has just gone must not hold up who plays the past for longer. */
const UNLISTED_TIMEOUT_MS = 1_000;
/** More than a read may take. */
const READ_TIMEOUT_MS = 12_000;
/** Files of a stream. Many files wait for the store only while it is unavailable, and then nothing can be looked up. */
const MAX_FILES = 64;

export interface RecordingPeersOptions {
  readonly links: Pick<NodeLinks, 'onRequest'>;
  /** null: this node owns the camera, or none does. Rejects like links. */
  linkToOwner(cameraUuid: Ruuid): Promise<NodeLink | null>;
  /** To all other nodes. */
  linksToOthers(): Promise<NodeLink>[];
  /** Files of this node that are not in the store. */
  unlisted(stream: RecordedStream): PackedFile[];
  readonly reads: Pick<RecordingReads, 'read' | 'lend'>;
  readonly log: Log;
}

export class RecordingPeers {
  readonly #options: RecordingPeersOptions;

  constructor(options: RecordingPeersOptions) {
    this.#options = options;
    const { links, reads } = options;
    links.onRequest(KINDS.unlisted, ({ body }) => {
      const files = options.unlisted(body as RecordedStream).slice(-MAX_FILES);
      return { body: null, bytes: [Buffer.from(JSON.stringify(files))] };
    });
    links.onRequest(KINDS.read, async ({ body }) => ({
      body: null,
      bytes: [await reads.read(body as ReadJob)],
    }));
  }

  /** Those of the camera's owner, none if it does not answer: then its past ends with the last finished file. */
  async unlisted({ cameraUuid, rendition }: RecordedStream): Promise<readonly PackedFile[]> {
    try {
      const link = await this.#options.linkToOwner(cameraUuid);
      if (link === null) return [];
      const stream = { cameraUuid, rendition };
      const bytes = await ask(link, KINDS.unlisted, stream, { timeoutMs: UNLISTED_TIMEOUT_MS });
      return JSON.parse(Buffer.from(bytes).toString()) as PackedFile[];
    } catch (thrown) {
      this.#options.log.debug(
        { camera: cameraUuid, err: toGatewayError(thrown) },
        'newest segments not known',
      );
      return [];
    }
  }

  /** The bytes of a file that is on another node's disk, from whichever has it. Fails RECORDING_NOT_FOUND. */
  async read(job: ReadJob): Promise<Buffer> {
    const { name } = job;
    const responses = this.#options
      .linksToOthers()
      .map(async (link) => ask(await link, KINDS.read, job, { timeoutMs: READ_TIMEOUT_MS }));
    try {
      const bytes = await Promise.any(responses);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } catch (thrown) {
      throw new GatewayError(RECORDING_ERRORS.RECORDING_NOT_FOUND, { name }, thrown);
    }
  }
}

/** Reads of this node's storage, or of other nodes' disks for files that are not there yet. */
export function readsOfAllNodes(
  reads: Pick<RecordingReads, 'read' | 'lend'>,
  readElsewhere: (job: ReadJob) => Promise<Buffer>,
): Pick<RecordingReads, 'read' | 'lend'> {
  const orElsewhere = (thrown: unknown, job: ReadJob): Promise<Buffer> => {
    if (toGatewayError(thrown).code !== RECORDING_ERRORS.RECORDING_NOT_FOUND.code) throw thrown;
    return readElsewhere(job);
  };
  return {
    read: (job) => reads.read(job).catch((thrown: unknown) => orElsewhere(thrown, job)),
    lend: (job) =>
      reads.lend(job).catch(async (thrown: unknown) => {
        return { bytes: await orElsewhere(thrown, job), release: () => undefined };
      }),
  };
}

async function ask(
  link: NodeLink,
  kind: string,
  body: RecordedStream | ReadJob,
  options: RequestOptions,
): Promise<Uint8Array> {
  const { bytes } = await link.request(kind, body, options);
  return bytes[0]!;
}
