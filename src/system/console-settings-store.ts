/** Where the settings of the console are stored: one row, encrypted as a whole, because some of them are secrets. */

import type { Clock } from '../core/clock.ts';
import { deriveRuuid, type Ruuid } from '../core/ruuid.ts';
import { Secret } from '../core/secret.ts';
import { type Resource, type ResourceKind, type ResourceStore, resourceKind } from '../store/resource.ts';
import { NO_SETTINGS, type SettingsDocument } from './console-settings.ts';

type Body = Record<string, never>;

const CONSOLE_SETTINGS: ResourceKind<Body> = resourceKind('consoleSettings');
const ROW_UUID = deriveRuuid('consoleSettings', 'gateway');
/** The row's name is the target in the audit trail: which keys the last change was about. */
const MAX_NAME_LENGTH = 200;

export interface ConsoleSettingsStoreOptions {
  readonly resources: ResourceStore;
  /** The operator's organization. */
  readonly orgUuid: Ruuid;
  readonly clock: Clock;
}

export class ConsoleSettingsStore {
  readonly #options: ConsoleSettingsStoreOptions;

  constructor(options: ConsoleSettingsStoreOptions) {
    this.#options = options;
  }

  /** Fails STORE_FIELD_DAMAGED. */
  async read(): Promise<SettingsDocument> {
    const { resources, orgUuid } = this.#options;
    return documentOf(await resources.of(CONSOLE_SETTINGS).find(orgUuid, ROW_UUID));
  }

  /** `decide`: the document to store, or the one that it was given. Two changes at the same time are decided one after the other. */
  async change(decide: (document: SettingsDocument) => SettingsDocument): Promise<SettingsDocument> {
    const { resources, orgUuid, clock } = this.#options;
    const { after } = await resources.of(CONSOLE_SETTINGS).change(orgUuid, ROW_UUID, (known) => {
      const document = documentOf(known);
      const next = decide(document);
      if (next === document) return 'unchanged';
      const nowMs = clock.epochMs();
      return {
        uuid: ROW_UUID,
        orgUuid,
        name: nameOf(next),
        parentUuid: null,
        body: {},
        secret: new Secret(JSON.stringify(next)),
        createdAtMs: known?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
    });
    return documentOf(after);
  }
}

function documentOf(row: Resource<Body> | null): SettingsDocument {
  return row?.secret == null ? NO_SETTINGS : (JSON.parse(row.secret.reveal()) as SettingsDocument);
}

function nameOf({ changes }: SettingsDocument): string {
  const name = changes[0]?.settings.map(({ path }) => path).join(', ') ?? '';
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 1)}…`;
}
