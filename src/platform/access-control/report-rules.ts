/** Reports of doors and their events, elevator landings, credentials and revocations: how they are checked, and where they are stored. */

import type { IngestContext, RowProblem } from '../../ingest/ingest-kind.ts';
import {
  knownEvents,
  locationUuidsOf,
  placeProblem,
  placeProblems,
  type ReportRules,
  unknownReference,
} from '../../ingest/report-rules.ts';
import { ComponentEvents, type ReportedComponentEvent } from './component-events.ts';
import { isSerialNumber } from './credential.ts';
import { CredentialService, type ReportedCredential, type ReportedRevocation } from './credential-service.ts';
import { DoorService, type ReportedDoor } from './door-service.ts';
import { LandingService, type ReportedLanding } from './landing-service.ts';

const partsOf = ({ store, nowMs }: IngestContext) => ({ store, clock: { epochMs: () => nowMs } });

export const doorReportRules: ReportRules<ReportedDoor> = {
  storage: { records: 'doors', kind: 'door', uuidOf: ({ uuid }) => uuid },
  problemsOf: placeProblems,
  store: (context, rows) => new DoorService(partsOf(context)).report(context.orgUuid, rows),
};

export const componentEventReportRules: ReportRules<ReportedComponentEvent> = {
  storage: { history: 'events' },
  async problemsOf(context, rows) {
    const doors = await new ComponentEvents(context.store).knownDoors(
      context.orgUuid,
      rows.map(({ accessControlledDoorUuid }) => accessControlledDoorUuid),
    );
    const locations = await locationUuidsOf(context);
    return rows.map((row) =>
      doors.has(row.accessControlledDoorUuid)
        ? placeProblem(row, locations)
        : unknownReference('accessControlledDoorUuid', 'a door'),
    );
  },
  known(context, rows) {
    return knownEvents(
      context,
      'componentEvent',
      rows,
      ({ uuid }) => uuid,
      ({ id, deviceUuid, atMs, body }) => ({
        ...body,
        uuid: id,
        accessControlledDoorUuid: deviceUuid,
        createdAtMs: atMs,
      }),
    );
  },
  store: ({ orgUuid, store, reporterUuid }, rows) =>
    new ComponentEvents(store).report(orgUuid, rows, reporterUuid),
};

export const landingReportRules: ReportRules<ReportedLanding> = {
  storage: { records: 'elevatorLandings', kind: 'elevatorLanding', uuidOf: ({ uuid }) => uuid },
  problemsOf: placeProblems,
  store: (context, rows) => new LandingService(partsOf(context)).report(context.orgUuid, rows),
};

export const credentialReportRules: ReportRules<ReportedCredential> = {
  storage: { records: 'credentials', kind: 'credential', uuidOf: ({ uuid }) => uuid },
  async problemsOf(_context, rows) {
    return rows.map(({ type, value }) =>
      type !== 'STANDARD_CSN' || isSerialNumber(value)
        ? null
        : { field: 'value', reason: 'value must be a card serial number in hexadecimal digits.' },
    );
  },
  store: (context, rows) => new CredentialService(partsOf(context)).reportCredentials(context.orgUuid, rows),
};

export const revocationReportRules: ReportRules<ReportedRevocation> = {
  storage: { records: 'accessRevocations', kind: 'accessRevocation', uuidOf: ({ uuid }) => uuid },
  async problemsOf(context, rows) {
    const locations = await locationUuidsOf(context);
    const schedules = new Set((await context.store.schedules.list(context.orgUuid)).map(({ uuid }) => uuid));
    return rows.map((row): RowProblem | null => {
      const problem = placeProblem(row, locations);
      if (problem !== null) return problem;
      if (row.scheduleUuid === undefined || schedules.has(row.scheduleUuid)) return null;
      return unknownReference('scheduleUuid', 'a schedule');
    });
  },
  store: (context, rows) => new CredentialService(partsOf(context)).reportRevocations(context.orgUuid, rows),
};
