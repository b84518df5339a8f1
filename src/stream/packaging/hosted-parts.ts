/** Parts that are not made in this thread: by a thread that reads the camera, or by the node that owns it. */

import type { CmafPart } from '../../cmaf/part.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import type { Segmenter } from '../../cmaf/segmenter.ts';
import type { FrameCounts, SegmenterProgress } from '../../cmaf/segmenter-progress.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { PeriodsState } from '../dash/dash-period.ts';
import type { Audience, KeyFrame } from '../media/live-media.ts';
import type { LiveWindowState } from '../window/followed-window.ts';
import type { HostedRendition, PackagingHost, PartReceiver, RenditionOrder } from './packaging-host.ts';
import type { PartSource, PublishedRendition } from './published-rendition.ts';

export class HostedParts implements PartSource, PartReceiver {
  readonly #published: PublishedRendition;
  /** Takes over when these parts end. Until then, it only counts frames. */
  readonly #segmenter: Segmenter;
  readonly #hosted: HostedRendition;
  /** Progress after the newest part, or after the parts before these. */
  #progress: SegmenterProgress | null;

  constructor(
    host: PackagingHost,
    order: RenditionOrder,
    published: PublishedRendition,
    segmenter: Segmenter,
  ) {
    this.#published = published;
    this.#segmenter = segmenter;
    this.#progress = order.progress;
    this.#hosted = host.package(order, this);
  }

  get isFed(): boolean {
    return this.#segmenter.isFed;
  }

  progress(): SegmenterProgress | null {
    return this.#progress;
  }

  onPart(part: CmafPart, partTargetMs: number, progress: SegmenterProgress): void {
    this.#progress = progress;
    const { tracks } = part;
    const known = this.#published.tracks;
    // Those of another instance are equal, and not the same.
    const isKnown =
      known !== null &&
      known !== tracks &&
      known.continuity === tracks.continuity &&
      known.signed?.fingerprint === tracks.signed?.fingerprint;
    this.#published.publish(isKnown ? { ...part, tracks: known } : part, partTargetMs);
  }

  onWindow(
    state: LiveWindowState<PackedBytes | Buffer>,
    progress: SegmenterProgress | null,
    keyFrame: KeyFrame | null,
  ): void {
    this.#progress = progress;
    this.#published.become(state, keyFrame);
  }

  onPeriods(audience: Audience, state: PeriodsState): void {
    this.#published.setPeriods(audience, state);
  }

  onFailure(error: GatewayError): void {
    this.#published.failWaiters(error);
  }

  onCounts(counts: FrameCounts): void {
    this.#segmenter.count(counts);
  }

  /** Parts on their way are still published. */
  close(): void {
    this.#hosted.close();
    if (this.#progress !== null) this.#segmenter.goOn(this.#progress);
  }
}
