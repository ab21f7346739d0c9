import { ApiProperty } from '@nestjs/swagger';
import { type Check, type CheckState, checkStates } from '../probes/check.js';

class CheckDto implements Check {
  @ApiProperty({ example: 'upstream key' }) check: string;
  @ApiProperty({ enum: checkStates, description: 'skipped: not checked; see the finding.' })
  state: CheckState;
  @ApiProperty({
    example: 'api.sandbox.us.example.com accepts it.',
    description: 'Result, with the remedy if it is bad.',
  })
  finding: string;
}

/** Result of `pulsekeep doctor` in the environment of the responding process; contains no secrets. */
export class DiagnosisDto {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ description: 'False if a check is bad.' }) ok: boolean;
  @ApiProperty({ type: [CheckDto] }) checks: CheckDto[];
}
