import { Module } from '@nestjs/common';
import { InboxModule } from '../../ingest/inbox/inbox.module.js';
import { AccessLogModule } from '../../privacy/access-log/access-log.module.js';
import { AlarmsModule } from '../alarms/alarms.module.js';
import { DoctorController } from './doctor.controller.js';
import { PeopleSignIn } from './people-sign-in.service.js';
import { SessionsController } from './sessions.controller.js';
import { SettingsController } from './settings.controller.js';

@Module({
  imports: [AccessLogModule, AlarmsModule, InboxModule],
  controllers: [DoctorController, SessionsController, SettingsController],
  providers: [PeopleSignIn],
  exports: [PeopleSignIn],
})
export class ConsoleModule {}
