import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForOperators, Role } from '../../http/auth/admin-auth.guard.js';
import { Config } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { toIso } from '../../platform/platform/time.js';
import { Declarations } from '../../storage/declarations/declarations.js';
import { toAlarmDto } from '../alarms/alarms.dto.js';
import { AlarmsService } from '../alarms/alarms.service.js';
import { examineAll } from '../probes/examination.js';
import { DiagnosisDto } from './doctor.dto.js';

@ApiTags('console')
@ForOperators()
@Controller('admin/v1/doctor')
export class DoctorController {
  /** Simultaneous requests share one examination, because it makes a call to upstream outside the call budget. */
  private running: Promise<DiagnosisDto> | null = null;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly declarations: Declarations,
    private readonly alarms: AlarmsService,
  ) {}

  @Get()
  @Role('operator')
  @ApiOperation({
    summary: 'Get the checks of `pulsekeep doctor`, run now by the responding process',
    description: 'Makes one call to upstream; takes up to ten seconds if upstream does not respond.',
  })
  @ApiOkResponse({ type: DiagnosisDto })
  examineDeployment(): Promise<DiagnosisDto> {
    this.running ??= this.examination().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async examination(): Promise<DiagnosisDto> {
    const now = this.clock.now();
    const checks = await examineAll(this.config, this.clock, {
      url: undefined,
      askAlarms: async () => (await this.alarms.current(now)).map(toAlarmDto),
      entities: this.declarations.entities,
      isOpenHere: true,
    });
    return { at: toIso(now), ok: checks.every(({ state }) => state !== 'bad'), checks };
  }
}
