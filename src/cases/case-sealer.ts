/**
 * Seals cases: reads all files of the archive once, writes their digests into the manifest, and signs it. The archive itself is
 * made whenever someone saves it, from recordings that are held. docs/design/evidence.md#archives.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { CameraSignature } from '../codec/media-signing/camera-signature.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, toGatewayError } from '../core/errors.ts';
import { FewAtOnce } from '../core/few-at-once.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { fingerprintOf } from '../evidence/certificate.ts';
import type { SigningCertificates } from '../evidence/signing-certificates.ts';
import { CameraSignatureReader } from '../playback/camera-signature.ts';
import type { Store } from '../store/store.ts';
import {
  type ArchiveFile,
  type ArchiveSources,
  filesOfItem,
  type ItemFiles,
  textFile,
} from './case-archive.ts';
import { CASE_SEALS, CASES, type Case, type SealBody, type SealedFile } from './case-records.ts';
import type { Cases } from './cases.ts';
import { CASE_ERRORS } from './errors.ts';
import { MANIFEST_FORMAT, signManifest, TIME_STAMP_NAME, VERIFY_PAGE_NAME } from './manifest.ts';
import type { TimeStampAuthority } from './time-stamp-authority.ts';

export interface CaseSealerOptions {
  readonly store: Pick<Store, 'resources'>;
  readonly cases: Cases;
  readonly sourcesOf: (orgUuid: Ruuid) => ArchiveSources;
  readonly certificates: Pick<SigningCertificates, 'current' | 'list' | 'keyOf'>;
  /** The HTML of the page that checks the archive, and is in it. */
  readonly verifyPage: () => Promise<string>;
  /** Further files of text, by name: what happened in the time of the items, and who viewed it. Rejects like the store. */
  readonly textsOf: (record: Case) => Promise<Readonly<Record<string, string>>>;
  /** null: none is configured. */
  readonly timeStamps: Pick<TimeStampAuthority, 'stamp'> | null;
  readonly clock: Pick<Clock, 'epochMs'>;
  readonly log: Log;
}

const SEALS_AT_ONCE = 1;
const MAX_WAITING_SEALS = 100;

export class CaseSealer {
  readonly #options: CaseSealerOptions;
  readonly #turns = new FewAtOnce(
    SEALS_AT_ONCE,
    MAX_WAITING_SEALS,
    () => new GatewayError(CASE_ERRORS.TOO_MANY_SEALS),
  );
  readonly #running = new Set<Promise<void>>();
  /** A job is the gateway's, and not that of the caller who asked for it. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #isClosed = false;
  constructor(options: CaseSealerOptions) {
    this.#options = options;
  }

  /** Seals what an earlier run began to seal. Rejects like the store. */
  async begin(): Promise<void> {
    for (const record of await this.#options.store.resources.of(CASES).listEverywhere()) {
      if (record.body.state === 'sealing') this.#run(record);
    }
  }

  /** Begins; the case says when it is done. Fails CASE_NOT_FOUND, CASE_HAS_HIDDEN_ITEMS, CASE_EMPTY, CASE_SEALED. */
  async seal(orgUuid: Ruuid, uuid: Ruuid, by: string): Promise<Case> {
    const { cases } = this.#options;
    await cases.expectAll(orgUuid, uuid);
    let hasBegun = false;
    const record = await cases.change(orgUuid, uuid, (now) => {
      hasBegun = now.body.state !== 'sealing';
      // A double click seals it once.
      if (!hasBegun) return now;
      if (now.body.state === 'sealed') throw new GatewayError(CASE_ERRORS.CASE_SEALED);
      if (now.body.items.length === 0) throw new GatewayError(CASE_ERRORS.CASE_EMPTY);
      return { ...now, body: { ...now.body, state: 'sealing', failureCode: null, sealedBy: by } };
    });
    if (hasBegun) this.#run(record);
    return record;
  }

  /** Resolves when nothing is being sealed. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
  }

  #run(record: Case): void {
    this.#outside(() => {
      const run = this.#turns
        .run(() => this.#seal(record))
        .catch((thrown) => this.#failed(record, toGatewayError(thrown)))
        .finally(() => this.#running.delete(run));
      this.#running.add(run);
    });
  }

  async #seal(record: Case): Promise<void> {
    const { store, cases, clock, log } = this.#options;
    const { orgUuid, uuid } = record;
    const sealedAtMs = clock.epochMs();
    const body = await this.#sealOf(record, sealedAtMs);
    const times = { createdAtMs: sealedAtMs, updatedAtMs: sealedAtMs };
    await store.resources
      .of(CASE_SEALS)
      .save({ uuid, orgUuid, name: '', parentUuid: null, secret: null, body, ...times });
    const fingerprint = fingerprintOf(body.certificatePem);
    await cases.change(orgUuid, uuid, (now) =>
      isSameRun(record, now)
        ? { ...now, body: { ...now.body, state: 'sealed', sealedAtMs, fingerprint } }
        : now,
    );
    log.info({ case: uuid, files: body.files.length }, 'case sealed');
  }

  async #sealOf(record: Case, sealedAtMs: number): Promise<SealBody> {
    const { sourcesOf, certificates, verifyPage, textsOf, timeStamps } = this.#options;
    const sources = sourcesOf(record.orgUuid);
    const certificate = await certificates.current();
    const texts = { [VERIFY_PAGE_NAME]: await verifyPage(), ...(await textsOf(record)) };
    const files: SealedFile[] = [];
    for (const [name, text] of Object.entries(texts)) files.push(await this.#hashed(textFile(name, text)));
    const items: object[] = [];
    const stretches: SealBody['stretches'][number][] = [];
    for (const [index, item] of record.body.items.entries()) {
      const ofItem = await filesOfItem(sources, item, index, null);
      stretches.push(ofItem.stretches);
      const signatures: (CameraSignature | null)[] = [];
      for (const file of ofItem.files) {
        const reader = file.segments === null ? null : new CameraSignatureReader();
        files.push(await this.#hashed(file, reader));
        signatures.push(reader === null ? file.cameraSignature : reader.end());
      }
      items.push(await itemEntry(sources, ofItem, signatures));
    }
    if (!files.some(({ name }) => !(name in texts))) throw new GatewayError(CASE_ERRORS.CASE_WITHOUT_MEDIA);
    const manifest = {
      format: MANIFEST_FORMAT,
      sealedAt: new Date(sealedAtMs).toISOString(),
      sealedBy: record.body.sealedBy,
      case: { uuid: record.uuid, title: record.name, number: record.body.number, notes: record.body.notes },
      // Without the file, the archive is not whole.
      timeStamp: timeStamps === null ? null : TIME_STAMP_NAME,
      items,
      files: files.map(({ name, byteLength, sha256Hex }) => ({ name, bytes: byteLength, sha256: sha256Hex })),
      certificates: (await certificates.list()).map(({ pem }) => pem),
    };
    const text = `${JSON.stringify(manifest, null, 1)}\n`;
    const { key } = certificates.keyOf(certificate);
    const signature = signManifest(text, key, certificate.pem);
    const stamp = await timeStamps?.stamp(Buffer.from(signature));
    const timeStamp = stamp?.toString('base64') ?? null;
    return { manifest: text, signature, certificatePem: certificate.pem, timeStamp, texts, files, stretches };
  }

  async #hashed(file: ArchiveFile, signatures: CameraSignatureReader | null = null): Promise<SealedFile> {
    const hash = createHash('sha256');
    let crc = 0;
    let byteLength = 0;
    for await (const bytes of file.read()) {
      if (this.#isClosed) throw new GatewayError(CASE_ERRORS.CASE_SEALING_STOPPED);
      hash.update(bytes);
      signatures?.push(bytes);
      crc = crc32(bytes, crc);
      byteLength += bytes.length;
    }
    return { name: file.name, byteLength, sha256Hex: hash.digest('hex'), crc32: crc };
  }

  /** At the end of the gateway, the next run seals it. */
  async #failed(record: Case, error: GatewayError): Promise<void> {
    const { cases, log } = this.#options;
    const { orgUuid, uuid } = record;
    if (this.#isClosed) return;
    log.error({ case: uuid, err: error }, 'case not sealed');
    await cases
      .change(orgUuid, uuid, (now) =>
        isSameRun(record, now)
          ? { ...now, body: { ...now.body, state: 'failed', failureCode: error.code } }
          : now,
      )
      .catch((thrown) => log.error({ case: uuid, err: toGatewayError(thrown) }, 'case not marked as failed'));
  }
}

/** It was not reopened, and sealed again, in the meantime. */
function isSameRun(begun: Case, now: Case): boolean {
  return now.body.state === 'sealing' && now.updatedAtMs === begun.updatedAtMs;
}

/** `signatures`: of the files. */
async function itemEntry(
  { cameraName }: ArchiveSources,
  { item, files }: ItemFiles,
  signatures: readonly (CameraSignature | null)[],
): Promise<object> {
  const { cameraUuid, clipUuid, startMs, endMs, note, addedBy, addedAtMs } = item;
  return {
    camera: cameraUuid === null ? null : { uuid: cameraUuid, name: await cameraName(cameraUuid) },
    clip: clipUuid,
    from: startMs === null ? null : new Date(startMs).toISOString(),
    to: endMs === null ? null : new Date(endMs).toISOString(),
    note,
    addedBy,
    addedAt: new Date(addedAtMs).toISOString(),
    files: files.map((file, index) => ({
      name: file.name,
      from: new Date(file.startMs).toISOString(),
      to: new Date(file.endMs).toISOString(),
      segments: file.segments,
      ...(signatures[index] == null ? {} : { cameraSignature: signatures[index] }),
    })),
  };
}
