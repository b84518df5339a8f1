/** Reports of licenses and of proximity tags: how they are checked, and where they are stored. */

import type { IngestContext } from '../../ingest/ingest-kind.ts';
import { cameraUuidsOf, type ReportRules, unknownReference } from '../../ingest/report-rules.ts';
import { licenseUuid, type ReportedLicense, reportLicenses } from './license.ts';
import { ProximityTags, proximityTagUuid, type ReportedTag } from './proximity-tags.ts';

export const licenseReportRules: ReportRules<ReportedLicense> = {
  storage: { records: 'licenses', kind: 'license', uuidOf: ({ id }, orgUuid) => licenseUuid(orgUuid, id) },
  async problemsOf(context, rows) {
    const cameras = await cameraUuidsOf(context);
    return rows.map(({ deviceUuid, deviceType }) => {
      // Sensors and readers belong to others. Only for cameras do we know which ones exist.
      if (deviceUuid === undefined || deviceType !== 'CAMERA' || cameras.has(deviceUuid)) return null;
      return unknownReference('deviceUuid', 'a camera');
    });
  },
  store: ({ orgUuid, store, nowMs }, rows) => reportLicenses(store, orgUuid, nowMs, rows),
};

export const tagReportRules: ReportRules<ReportedTag> = {
  storage: {
    records: 'proximityTags',
    kind: 'proximityTag',
    uuidOf: ({ uuid }, orgUuid) => proximityTagUuid(orgUuid, uuid),
  },
  async known(context, rows) {
    const found = await tagsIn(context).reported(
      context.orgUuid,
      rows.map(({ uuid }) => uuid),
    );
    return rows.map(({ uuid }) => found.get(uuid) ?? null);
  },
  store: (context, rows) => tagsIn(context).report(context.orgUuid, rows),
};

function tagsIn({ store, nowMs }: IngestContext): ProximityTags {
  return new ProximityTags({ store, clock: { epochMs: () => nowMs } });
}
