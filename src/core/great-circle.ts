/** Distances on the globe, treated as a sphere: off by half a percent at most. */

const EARTH_RADIUS_M = 6_371_008.8;
const RADIANS_PER_DEGREE = Math.PI / 180;

/** Degrees north and east. */
export interface GeoPoint {
  readonly latitude: number;
  readonly longitude: number;
}

/** Length of the shortest path over the ground, in meters (haversine: accurate for small distances too). */
export function greatCircleM(a: GeoPoint, b: GeoPoint): number {
  const latitudeA = a.latitude * RADIANS_PER_DEGREE;
  const latitudeB = b.latitude * RADIANS_PER_DEGREE;
  const halfLatitude = Math.sin((latitudeB - latitudeA) / 2);
  const halfLongitude = Math.sin(((b.longitude - a.longitude) * RADIANS_PER_DEGREE) / 2);
  const chord = halfLatitude ** 2 + Math.cos(latitudeA) * Math.cos(latitudeB) * halfLongitude ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(chord)));
}
