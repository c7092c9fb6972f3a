-- acct.db as version 1 of its schema made it, with three jobs of two users.
PRAGMA application_id = 1464688995;
PRAGMA user_version = 1;
CREATE TABLE mark (id INTEGER PRIMARY KEY, last_seq INTEGER NOT NULL);
INSERT INTO mark VALUES (1, 0);
CREATE TABLE job (job INTEGER NOT NULL, idx INTEGER NOT NULL,  user TEXT NOT NULL, name TEXT NOT NULL, queue TEXT NOT NULL, app TEXT NOT NULL,  plan TEXT NOT NULL, project TEXT NOT NULL, command TEXT NOT NULL, cwd TEXT NOT NULL,  submit_host TEXT NOT NULL, exec_hosts TEXT NOT NULL, state TEXT NOT NULL,  reason TEXT NOT NULL, submitted INTEGER NOT NULL, dispatched INTEGER NOT NULL,  started INTEGER NOT NULL, ended INTEGER NOT NULL, exit_status INTEGER NOT NULL,  term INTEGER NOT NULL, attempt INTEGER NOT NULL, resizes INTEGER NOT NULL,  slots INTEGER NOT NULL, gpus INTEGER NOT NULL, cpu INTEGER NOT NULL,  slot_time INTEGER NOT NULL, gpu_time INTEGER NOT NULL, max_mem INTEGER NOT NULL,  PRIMARY KEY (job, idx)) WITHOUT ROWID;
CREATE TABLE allocation (job INTEGER NOT NULL, idx INTEGER NOT NULL,  attempt INTEGER NOT NULL, task INTEGER NOT NULL, host TEXT NOT NULL,  gpus INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,  PRIMARY KEY (job, idx, attempt, task)) WITHOUT ROWID;
CREATE TABLE job_event (job INTEGER NOT NULL, idx INTEGER NOT NULL, seq INTEGER NOT NULL,  part INTEGER NOT NULL, time INTEGER NOT NULL, event TEXT NOT NULL, from_n INTEGER NOT NULL,  to_n INTEGER NOT NULL, reason TEXT NOT NULL, pause_us INTEGER NOT NULL,  steps_lost INTEGER NOT NULL, PRIMARY KEY (job, idx, seq, part)) WITHOUT ROWID;
CREATE TABLE usage (day INTEGER NOT NULL, user TEXT NOT NULL, plan TEXT NOT NULL,  queue TEXT NOT NULL, jobs_done INTEGER NOT NULL, jobs_exited INTEGER NOT NULL,  cpu INTEGER NOT NULL, slot_time INTEGER NOT NULL, gpu_time INTEGER NOT NULL,  PRIMARY KEY (day, user, plan, queue)) WITHOUT ROWID;
INSERT INTO job VALUES (1,0,'ada','n1','normal','batch','/','p','true','/home/ada','login1','node1','finished','done',1000000,2000000,3000000,4000000,0,0,1,0,1,0,1,2,3,4);
INSERT INTO job VALUES (2,0,'bob','n2','normal','batch','/','p','true','/home/ada','login1','node1','finished','done',1000000,2000000,3000000,4000000,0,0,1,0,1,0,1,2,3,4);
INSERT INTO job VALUES (3,0,'ada','n3','normal','batch','/','p','true','/home/ada','login1','node1','finished','done',1000000,2000000,3000000,4000000,0,0,1,0,1,0,1,2,3,4);
UPDATE mark SET last_seq = 9;
