import { type Resource, resourceByName } from './catalogue.js';
import { conversionOf, measureOf } from './units.js';

const converted = (name: string, unit: string | null, value: number): number | null => {
  const conversion = conversionOf(resourceByName(name) as Resource, unit);
  return conversion && value * conversion.factor + conversion.offset;
};

describe('units', () => {
  it.each([
    ['glucose', 'mg/dL', 180.156, 10],
    ['glucose', 'mmol/L', 5.2, 5.2],
    ['body_weight', 'lb', 176.4, 80.013694068],
    ['body_weight', '[lb_av]', 1, 0.45359237],
    ['body_temperature', '°F', 98.6, 37],
    ['body_temperature', 'K', 310.15, 37],
    ['body_temperature_delta', '°F', 1.8, 1],
    ['distance', 'mi', 1, 1_609.344],
    ['distance', 'km', 1.5, 1_500],
    ['calories_active', 'kJ', 4.184, 1],
    ['heartrate', 'count/min', 61, 61],
    ['calories_active', 'Cal', 250, 250],
    ['calories_active', 'cal', 250, 0.25],
    ['insulin_injection', 'IU', 5, 5],
    ['steps', '{count}', 9, 9],
    ['vo2_max', 'mL/min/kg', 44, 44],
    ['water', 'fl oz', 1, 29.5735295625],
    ['caffeine', 'mg', 95, 0.095],
    ['waist_circumference', 'in', 30, 76.2],
    ['blood_pressure', 'kPa', 16, 120.0098521353],
    ['blood_pressure', 'mm Hg', 120, 120],
    ['blood_pressure', 'mm[Hg]', 120, 120],
    ['glucose', 'mmol<180.15588>/L', 6.1, 6.1],
    ['body_weight', 'stone', 1, 6.35029318],
    ['body_weight', 'Pounds', 1, 0.45359237],
    ['body_temperature', '℉', 98.6, 37],
    ['body_temperature', 'ºC', 37, 37],
    ['body_temperature', 'deg F', 98.6, 37],
    ['hrv', 'ms', 40, 40],
    ['hrv', 's', 0.04, 40],
    ['respiratory_rate', 'breaths per minute', 14, 14],
    ['caffeine', 'µg', 80_000, 0.08],
    ['caffeine', 'μg', 80_000, 0.08],
    ['caffeine', 'mcg', 80_000, 0.08],
    ['distance', 'kilometers', 1, 1_000],
    ['water', 'fl_oz_us', 1, 29.5735295625],
    ['calories_active', 'Calories', 250, 250],
    ['vo2_max', 'ml/kg*min', 44, 44],
    ['vo2_max', 'mL/min·kg', 44, 44],
    ['steps', 'steps', 9, 9],
    ['mindfulness_minutes', 'ms', 600_000, 10],
    ['heartrate', 'count/s', 1.2, 72],
    ['glucose', 'g/L', 1.80156, 10],
    ['glucose', 'mg%', 180.156, 10],
    ['cholesterol', 'g/L', 1.93325, 5],
    ['blood_pressure', 'Pa', 16_000, 120.0098521353],
    ['body_mass_index', 'kg/m²', 24, 24],
    ['body_mass_index', 'kg/m^2', 24, 24],
  ])('of %s: %s is converted exactly', (name, unit, value, expected) => {
    expect(converted(name, unit, value)).toBeCloseTo(expected, 9);
  });

  it('of other quantities have no conversion, and neither has a missing one', () => {
    expect(converted('glucose', 'FSU', 5)).toBeNull();
    expect(converted('body_weight', '°F', 5)).toBeNull();
    expect(converted('heartrate', null, 61)).toBeNull();
    // Small or large ones: nothing says which.
    expect(converted('calories_active', 'calories', 250)).toBeNull();
    expect(converted('hrv', 'sdnn', 40)).toBeNull();
    expect(converted('water', 'oz', 8)).toBeNull();
    expect(converted('water', 'constructor', 8)).toBeNull();
  });

  it('and places of measurement are read from the attributes of a sample', () => {
    expect(measureOf('{"sensor_location":"wrist","timezone_offset":0,"unit":"°C"}')).toEqual({
      unit: '°C',
      place: 'wrist',
    });
    expect(measureOf('{"sensor_location":"","unit":3}')).toEqual({ unit: null, place: null });
  });
});
