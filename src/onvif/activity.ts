/** The meaning of cameras' notifications: the topics of motion, people, vehicles, and tampering as vendors name them. */

import type { OnvifNotification } from './event-messages.ts';

export type ActivityKind = 'motion' | 'person' | 'vehicle' | 'animal' | 'tamper';

export interface ActivityChange {
  readonly kind: ActivityKind;
  /** The source that noticed it: the kinds of one camera can have several sources. */
  readonly source: string;
  readonly isActive: boolean;
  /** The state at the time of the subscription, not a change. */
  readonly isInitial: boolean;
}

/**
 * The first match counts. `item`: the name of the item that says whether the activity continues.
 *
 * - `RuleEngine/CellMotionDetector/Motion`, `IsMotion` (ONVIF Analytics; most cameras, Tapo in lightNVR#333)
 * - `VideoSource/MotionAlarm`, `State` (ONVIF Imaging; Axis, Hikvision, Dahua)
 * - `RuleEngine/MotionRegionDetector/Motion`, `State` (ONVIF Analytics)
 * - `RuleEngine/MyRuleDetector/PeopleDetect`, `FaceDetect`, `VehicleDetect`, `DogCatDetect`, `State` (Reolink)
 * - `RuleEngine/PeopleDetector/People`, `IsPeople`; `RuleEngine/TPSmartEventDetector/TPSmartEvent`, `IsVehicle`, `IsPet` (Tapo)
 * - `VideoSource/GlobalSceneChange/…`, `State`; `RuleEngine/TamperDetector/Tamper`, `IsTamper`
 */
const PATTERNS: readonly { readonly kind: ActivityKind; readonly topic: RegExp; readonly item: RegExp }[] = [
  {
    kind: 'tamper',
    topic: /Tamper|GlobalSceneChange|ImageTooDark|ImageTooBlurry/,
    item: /^(?:State|IsTamper)$/,
  },
  { kind: 'person', topic: /^RuleEngine\//, item: /^Is(?:People|Person|Human)$/ },
  { kind: 'vehicle', topic: /^RuleEngine\//, item: /^Is(?:Vehicle|Car)$/ },
  { kind: 'animal', topic: /^RuleEngine\//, item: /^IsPet$/ },
  { kind: 'person', topic: /\/(?:People|Person|Human|Face)Detect/, item: /^State$/ },
  { kind: 'vehicle', topic: /\/VehicleDetect/, item: /^State$/ },
  { kind: 'animal', topic: /\/(?:DogCat|Pet|Animal)Detect/, item: /^State$/ },
  { kind: 'motion', topic: /Motion/, item: /^(?:IsMotion|State)$/ },
];

/** null: it is about something else, or does not say whether the activity continues. */
export function activityOf({ topic, operation, source, data }: OnvifNotification): ActivityChange | null {
  for (const { kind, topic: about, item } of PATTERNS) {
    if (!about.test(topic)) continue;
    for (const [name, value] of data) {
      const isActive = item.test(name) ? truthOf(value) : null;
      if (isActive === null) continue;
      const isOver = operation === 'Deleted';
      return {
        kind,
        source: `${topic} ${source}`,
        isActive: isActive && !isOver,
        isInitial: operation === 'Initialized',
      };
    }
  }
  return null;
}

/** xs:boolean, and what cameras write instead. */
function truthOf(value: string): boolean | null {
  const text = value.trim().toLowerCase();
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : null;
}
