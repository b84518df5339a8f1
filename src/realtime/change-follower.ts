/**
 * Turns changes in the gateway into messages of the real-time stream: the store's changes, device reports, viewers who come and go, cameras
 * that go offline and reconnect. Nothing here waits: a message is made from the event alone, so messages keep the order of the events.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { ChangeEvent, EntityKind, Store } from '../store/store.ts';
import type { CameraReport } from '../stream/camera-connection.ts';
import type { RecordingState } from '../stream/media/recording-state.ts';
import type { ChangeEntity, ChangeMessage, ChangeUpdate } from './change-message.ts';

/** Kinds that are not published are those of keys, grants, integrations and the gateway's own bookkeeping. */
const ENTITY_BY_KIND: ReadonlyMap<EntityKind, ChangeEntity> = new Map([
  ['share', 'SHARED_STREAMS'],
  ['wallShare', 'SHARED_STREAMS'],
  ['videoWall', 'VIDEO_WALL'],
  ['camera', 'CAMERA'],
  ['nvr', 'NVR'],
  ['location', 'LOCATION'],
  ['schedule', 'SCHEDULE'],
  ['savedClip', 'SAVED_CLIPS'],
  ['sharedClipGroup', 'SHARED_CLIPS'],
  ['timelapse', 'TIMELAPSE'],
  ['sharedTimelapseGroup', 'TIMELAPSE'],
  ['seekPoint', 'SEEK_POINT'],
  ['door', 'ACCESS_CONTROLLED_DOOR'],
  ['lockdownRule', 'LOCKDOWN_RULE'],
  ['policyAlert', 'POLICY_ALERT'],
  ['componentEvent', 'COMPONENT_EVENT'],
  ['alertAcknowledgement', 'ALERT_ACKNOWLEDGEMENT'],
  ['alertTaking', 'ALERT_TAKING'],
  ['consoleSettings', 'GATEWAY_SETTINGS'],
  ['case', 'EVIDENCE_CASE'],
  ['hold', 'LEGAL_HOLD'],
  ['emergency', 'EMERGENCY'],
]);

/** Kinds of which pages learn only that something has changed: people, what a directory says of them, and where they sign in. */
const OF_PEOPLE: ReadonlySet<EntityKind> = new Set([
  'person',
  'invitation',
  'scimGroup',
  'scimMapping',
  'scimToken',
  'scimTokenUse',
  'scimUser',
  'oidcProvider',
  'samlKey',
  'samlProvider',
  'signInDomain',
]);

/** Kinds whose things belong to a camera, and change what its state says. */
const PARTS_OF_CAMERAS: ReadonlySet<EntityKind> = new Set([
  'cameraConfig',
  'cameraPause',
  'manualRecording',
  'planPlace',
]);

/** Kinds whose parent is a location, and that belong to what pages show of it. */
const PARTS_OF_LOCATIONS: ReadonlySet<EntityKind> = new Set(['floorPlan']);

/** Kinds whose parent is an emergency, and that its report shows. */
const PARTS_OF_EMERGENCIES: ReadonlySet<EntityKind> = new Set(['emergencyView']);

/** A viewer came (`CREATE`) or went; `viewers`: how many the share then has; of a wall's, the camera with the most. */
export interface ViewerChange {
  readonly type: 'CREATE' | 'DELETE';
  readonly orgUuid: Ruuid;
  readonly shareUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly viewerId: string;
  readonly viewers: number;
}

export interface ChangePublisher {
  hasListeners(orgUuid: Ruuid): boolean;
  publish(orgUuid: Ruuid, message: ChangeMessage): void;
}

export interface ChangeFollowerOptions {
  readonly store: Pick<Store, 'onChange'> & {
    readonly cameras: Pick<Store['cameras'], 'listEverywhere'>;
  };
  readonly topics: ChangePublisher;
}

export class ChangeFollower {
  readonly #topics: ChangePublisher;
  readonly #cameras: ChangeFollowerOptions['store']['cameras'];
  readonly #unsubscribe: () => void;
  /** The owner of each camera: cameras report without saying so. */
  readonly #orgByCamera = new Map<Ruuid, Ruuid>();
  readonly #offlineCameras = new Set<Ruuid>();
  /** Never contacted: the first contact is news. */
  readonly #uncheckedCameras = new Set<Ruuid>();

  private constructor({ store, topics }: ChangeFollowerOptions) {
    this.#topics = topics;
    this.#cameras = store.cameras;
    this.#unsubscribe = store.onChange((event) => this.#onChange(event));
  }

  /** Resolves when it knows every camera; from then on, it publishes everything that happens. */
  static async start(options: ChangeFollowerOptions): Promise<ChangeFollower> {
    const follower = new ChangeFollower(options);
    await follower.refresh();
    return follower;
  }

  /** Reads the owners of all cameras again: for those whose event was not sent. Rejects like the store. */
  async refresh(): Promise<void> {
    for (const { uuid, orgUuid } of await this.#cameras.listEverywhere()) {
      this.#orgByCamera.set(uuid, orgUuid);
    }
  }

  /** Called for every viewer of a crowd: an organization that does not listen costs one lookup. */
  viewerChanged({ type, orgUuid, shareUuid, cameraUuid, viewerId, viewers }: ViewerChange): void {
    if (!this.#topics.hasListeners(orgUuid)) return;
    this.#topics.publish(orgUuid, {
      entity: 'VIEWER',
      entityUuid: viewerId,
      type,
      deviceUuid: cameraUuid,
      update: { sharedLiveVideoStreamUuid: shareUuid, viewers },
    });
  }

  /**
   * A closed camera has the state in which it was last seen, as in the API's `connectionStatus`; one that failed is offline until it plays
   * again or streams to a probe.
   */
  cameraStatusChanged(cameraUuid: Ruuid, { main: { state } }: CameraReport): void {
    const orgUuid = this.#orgByCamera.get(cameraUuid);
    const isOffline = this.#offlineCameras.has(cameraUuid);
    if (orgUuid === undefined) return;
    if (state === 'not-checked') this.#uncheckedCameras.add(cameraUuid);
    if (state === 'offline' && !isOffline) {
      this.#offlineCameras.add(cameraUuid);
      this.#uncheckedCameras.delete(cameraUuid);
      this.#tellStatus(orgUuid, cameraUuid, false);
    } else if (state === 'live' || state === 'reachable') {
      const isFirst = this.#uncheckedCameras.delete(cameraUuid);
      if (!this.#offlineCameras.delete(cameraUuid) && !isFirst) return;
      this.#tellStatus(orgUuid, cameraUuid, true);
    }
  }

  /** Whether the camera is being recorded has changed. */
  recordingChanged(cameraUuid: Ruuid, { state }: RecordingState): void {
    const orgUuid = this.#orgByCamera.get(cameraUuid);
    if (orgUuid !== undefined) this.#tellCamera(orgUuid, cameraUuid, { recording: state });
  }

  close(): void {
    this.#unsubscribe();
  }

  #onChange({ entity: kind, type, orgUuid, uuid, details }: ChangeEvent): void {
    if (kind === 'camera') this.#followCamera(type, orgUuid, uuid);
    const parentUuid = details?.deviceUuid ?? null;
    if (PARTS_OF_CAMERAS.has(kind) && parentUuid !== null) this.#tellCamera(orgUuid, parentUuid, null);
    if (PARTS_OF_LOCATIONS.has(kind) && parentUuid !== null) this.#tellPart(orgUuid, 'LOCATION', parentUuid);
    if (PARTS_OF_EMERGENCIES.has(kind) && parentUuid !== null)
      this.#tellPart(orgUuid, 'EMERGENCY', parentUuid);
    if (OF_PEOPLE.has(kind)) this.#tellPeople(orgUuid);
    const entity = ENTITY_BY_KIND.get(kind);
    if (entity === undefined) return;
    this.#topics.publish(orgUuid, {
      entity,
      entityUuid: uuid,
      type,
      deviceUuid: details?.deviceUuid ?? null,
      update: type === 'DELETE' ? null : (details?.fields ?? null),
    });
  }

  #tellPart(orgUuid: Ruuid, entity: 'LOCATION' | 'EMERGENCY', uuid: Ruuid): void {
    this.#topics.publish(orgUuid, {
      entity,
      entityUuid: uuid,
      type: 'UPDATE',
      deviceUuid: null,
      update: null,
    });
  }

  #tellPeople(orgUuid: Ruuid): void {
    const message = { entityUuid: '', type: 'UPDATE', deviceUuid: null, update: null } as const;
    this.#topics.publish(orgUuid, { entity: 'PEOPLE', ...message });
  }

  #followCamera(type: ChangeEvent['type'], orgUuid: Ruuid, uuid: Ruuid): void {
    if (type === 'DELETE') {
      this.#orgByCamera.delete(uuid);
      this.#offlineCameras.delete(uuid);
      this.#uncheckedCameras.delete(uuid);
    } else {
      this.#orgByCamera.set(uuid, orgUuid);
    }
  }

  #tellStatus(orgUuid: Ruuid, cameraUuid: Ruuid, isOnline: boolean): void {
    const connectionStatus = isOnline ? 'GREEN' : 'RED';
    this.#tellCamera(orgUuid, cameraUuid, { online: isOnline, connectionStatus });
  }

  #tellCamera(orgUuid: Ruuid, cameraUuid: Ruuid, update: ChangeUpdate | null): void {
    const camera = { entity: 'CAMERA', entityUuid: cameraUuid, deviceUuid: cameraUuid } as const;
    this.#topics.publish(orgUuid, { ...camera, type: 'UPDATE', update });
  }
}
