/**
 * The uploads in the store. In a cluster, each belongs to the node that has its bytes: no other node changes, continues or
 * deletes it while that node lives (docs/design/upload.md#nodes-of-a-cluster).
 */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { StoredUpload, UploadRepository } from '../store/upload.ts';
import { UPLOAD_ERRORS } from './errors.ts';

/** A sender that asks again may reach that node. */
const RETRY_AFTER_SEC = 2;

/** Nothing more is done with it. */
const ENDED_STATES: ReadonlySet<StoredUpload['state']> = new Set(['done', 'refused']);

export interface UploadNodes {
  /** This node's; '': the gateway is alone. */
  readonly nodeId: string;
  isAlive(nodeId: string): boolean;
}

export const NO_NODES: UploadNodes = { nodeId: '', isAlive: () => false };

export class OwnUploads {
  readonly #uploads: UploadRepository;
  readonly #nodes: UploadNodes;

  constructor(uploads: UploadRepository, nodes: UploadNodes) {
    this.#uploads = uploads;
    this.#nodes = nodes;
  }

  get nodeId(): string {
    return this.#nodes.nodeId;
  }

  /** Finds an upload of any node. */
  find(uuid: Ruuid): Promise<StoredUpload | null> {
    return this.#uploads.find(uuid);
  }

  /** Unfinished uploads of this node. */
  async unfinished(): Promise<StoredUpload[]> {
    return (await this.#uploads.unfinished()).filter(({ nodeId }) => nodeId === this.nodeId);
  }

  /** Fails UPLOAD_AT_OTHER_NODE if another node has taken it. */
  async save(upload: StoredUpload): Promise<void> {
    if (!(await this.#uploads.save(upload))) throw atOtherNode(upload);
  }

  remove(uuid: Ruuid): Promise<void> {
    return this.#uploads.remove(uuid, this.nodeId);
  }

  removeOld(before: Parameters<UploadRepository['removeOld']>[0]): Promise<number> {
    return this.#uploads.removeOld(before);
  }

  /** Not finished, and another node's. */
  isElsewhere({ nodeId, state }: StoredUpload): boolean {
    return nodeId !== this.nodeId && !ENDED_STATES.has(state);
  }

  /**
   * Fails UPLOAD_AT_OTHER_NODE if another node continues it: one that lives, or one that was writing its recording and does that
   * again when it is back.
   */
  expectNotElsewhere(upload: StoredUpload): void {
    const isGoingOn = upload.state === 'importing' || this.#nodes.isAlive(upload.nodeId);
    if (this.isElsewhere(upload) && isGoingOn) throw atOtherNode(upload);
  }

  /** Fails UPLOAD_AT_OTHER_NODE if another node has taken it meanwhile: this one may have been paused. */
  async expectOwn(uuid: Ruuid): Promise<void> {
    const upload = await this.#uploads.find(uuid);
    if (upload === null || upload.nodeId !== this.nodeId) throw atOtherNode({ nodeId: upload?.nodeId ?? '' });
  }

  /**
   * Makes it this node's, once the node that had it is gone. `isListed`: its recording is complete, and only its row is left to be
   * written. Fails UPLOAD_AT_OTHER_NODE.
   */
  async take(upload: StoredUpload, isListed: boolean): Promise<StoredUpload> {
    if (!isListed || this.#nodes.isAlive(upload.nodeId)) this.expectNotElsewhere(upload);
    const isTaken = await this.#uploads.take(upload.uuid, upload.nodeId, this.nodeId);
    if (!isTaken) throw atOtherNode(upload);
    return { ...upload, nodeId: this.nodeId };
  }
}

export function isEnded({ state }: StoredUpload): boolean {
  return ENDED_STATES.has(state);
}

function atOtherNode({ nodeId }: Pick<StoredUpload, 'nodeId'>): GatewayError {
  return new GatewayError(UPLOAD_ERRORS.UPLOAD_AT_OTHER_NODE, {
    node: nodeId,
    retryAfterSec: RETRY_AFTER_SEC,
  });
}
