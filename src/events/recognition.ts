/** Separates known faces and vehicles of a report from unknown ones. */

/** null: not reported. */
export interface SeenFace {
  readonly faceName: string | null;
  readonly personUuid: string | null;
}

export interface SeenVehicle {
  readonly vehicleName: string | null;
}

export interface Recognition<Seen> {
  readonly recognized: Seen[];
  readonly unrecognized: Seen[];
}

/** A face is known by its name or its person. */
export function sortFaces<Face extends SeenFace>(faces: readonly Face[]): Recognition<Face> {
  return sortBy(faces, ({ faceName, personUuid }) => faceName !== null || personUuid !== null);
}

/** A vehicle is known by its name; a license plate alone does not make it known. */
export function sortVehicles<Vehicle extends SeenVehicle>(
  vehicles: readonly Vehicle[],
): Recognition<Vehicle> {
  return sortBy(vehicles, ({ vehicleName }) => vehicleName !== null);
}

function sortBy<Seen>(all: readonly Seen[], isRecognized: (seen: Seen) => boolean): Recognition<Seen> {
  return { recognized: all.filter(isRecognized), unrecognized: all.filter((seen) => !isRecognized(seen)) };
}
