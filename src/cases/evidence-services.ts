/** The services of legal holds and cases, wired. */

import { statfs } from 'node:fs/promises';
import { CLIP_FILES } from '../clips/clip-records.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { SigningCertificates } from '../evidence/signing-certificates.ts';
import type { RecordedMedia } from '../playback/recorded-media.ts';
import type { Store } from '../store/store.ts';
import type { ArchiveSources } from './case-archive.ts';
import { type CaseGroups, CaseLinks, endCaseLinks } from './case-links.ts';
import { CaseSealer, type CaseSealerOptions } from './case-sealer.ts';
import { Cases } from './cases.ts';
import { HoldEnds } from './hold-ends.ts';
import { Holds } from './holds.ts';
import { TimeStampAuthority } from './time-stamp-authority.ts';

export interface EvidenceParts {
  readonly store: Store;
  readonly media: RecordedMedia;
  /** Links to archives are shared groups. */
  readonly groups: CaseGroups;
  /** The signing keys are derived from it. */
  readonly secret: Uint8Array;
  /** The folder of recordings on a disk; null: they are in S3. */
  readonly folder: string | null;
  /** The HTML of the page that checks archives. */
  readonly verifyPage: () => Promise<string>;
  readonly textsOf: CaseSealerOptions['textsOf'];
  /** Of a time stamp authority; null: cases are sealed without time stamps. */
  readonly timeStampUrl: string | null;
  readonly clock: Clock;
  readonly log: Log;
}

export interface EvidenceServices {
  readonly holds: Holds;
  readonly cases: Cases;
  readonly links: CaseLinks;
  readonly sealer: CaseSealer;
  readonly certificates: SigningCertificates;
  readonly holdEnds: HoldEnds;
}

export function createEvidenceServices(parts: EvidenceParts): EvidenceServices {
  const { store, media, groups, secret, folder, verifyPage, textsOf, timeStampUrl, clock, log } = parts;
  const certificates = new SigningCertificates({ certificates: store.signingCertificates, secret, clock });
  const holds = new Holds({ store, clock, freeBytes: () => freeBytesOf(folder) });
  const endLinks = (orgUuid: Ruuid, caseUuid: Ruuid) => endCaseLinks(groups, orgUuid, caseUuid);
  const cases = new Cases({ store, holds, endLinks, clock });
  const links = new CaseLinks({ cases, groups });
  const sealer = new CaseSealer({
    store,
    cases,
    certificates,
    verifyPage,
    textsOf,
    timeStamps: timeStampUrl === null ? null : new TimeStampAuthority(timeStampUrl, clock),
    clock,
    log,
    sourcesOf: (orgUuid) => archiveSources(store, media, orgUuid),
  });
  return { holds, cases, links, sealer, certificates, holdEnds: new HoldEnds({ store, clock, log }) };
}

/** What archives of the organization are made of. */
export function archiveSources(
  store: Pick<Store, 'resources' | 'cameras'>,
  media: RecordedMedia,
  orgUuid: Ruuid,
): ArchiveSources {
  return {
    media,
    clipFiles: async ({ clipUuid }) => {
      if (clipUuid === null) return [];
      const files = await store.resources.of(CLIP_FILES).listByParent(orgUuid, clipUuid);
      return files
        .filter(({ body }) => body.isImageOnly !== true)
        .map(({ body: { name, cameraUuid, byteLength, startEpochMs, endEpochMs, cameraSignature } }) => ({
          name,
          cameraUuid,
          byteLength,
          startMs: Math.round(startEpochMs),
          endMs: Math.round(endEpochMs),
          cameraSignature: cameraSignature ?? null,
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    cameraName: async (cameraUuid) => (await store.cameras.find(orgUuid, cameraUuid as Ruuid))?.name ?? '',
  };
}

/** null: not known, such as before the first recording, so there is no bound. */
async function freeBytesOf(folder: string | null): Promise<number | null> {
  if (folder === null) return null;
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    // The folder is created with the first recording.
    return null;
  }
}
