/**
 * What sensors measured when an alert was raised, and the thresholds that were crossed
 * (docs/spec/rules.md#policy-alerts).
 */

import type { TUnsafe } from 'typebox';
import { double } from '../../http/fields/field-types.ts';

/** Each has a threshold with the same name and the ending `Threshold`. */
const MEASUREMENTS = [
  'airQualityIndex',
  'ch2oPpb',
  'co2',
  'co2Ppm',
  'coConcentration',
  'ethanol',
  'heatIndexDegF',
  'humidityPercent1616',
  'humidityPermyriad',
  'iaq',
  'noxIdx',
  'pm1p0',
  'pm4p0',
  'pm10p0',
  'pm25',
  'pressure',
  'probeTempC',
  'relHumid',
  'tempC',
  'temperatureCelsius1616',
  'temperaturePermyriad',
  'thcPercent',
  'tvoc',
  'vapeSmokePercent',
  'vocIdx',
] as const;

/** Spelled differently from the rule. */
const FURTHER_THRESHOLDS = [
  'humidityPercentThreshold1616',
  'temperatureCelsiusThreshold1616',
  'humidityThresholdPermyriad',
  'temperatureThresholdPermyriad',
  'probeTempThreshold',
] as const;

type Measurement = (typeof MEASUREMENTS)[number];
type MeasurementField = Measurement | `${Measurement}Threshold` | (typeof FURTHER_THRESHOLDS)[number];

export const MEASUREMENT_FIELDS = measurementFields();

function measurementFields(): { [K in MeasurementField]: TUnsafe<number> } {
  const fields: Record<string, TUnsafe<number>> = {};
  for (const name of MEASUREMENTS) {
    fields[name] = double(`Measured \`${name}\`.`);
    fields[`${name}Threshold`] = double(`Threshold of \`${name}\`.`);
  }
  for (const name of FURTHER_THRESHOLDS) fields[name] = double('Threshold, in another spelling.');
  return fields as { [K in MeasurementField]: TUnsafe<number> };
}
