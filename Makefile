# WM: one non-recursive Makefile. `make help` lists the targets.
#
# A library is a folder under libwm with its rooms, a daemon a folder under daemons with its
# rooms, a command one file under commands, a unit test binary one folder under test/unit:
# adding a file never means editing this one. The files of one folder are compiled together
# (see Groups).

SHELL := /bin/bash
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# As many jobs as there are processors, unless the caller says -jN or is a make itself; several
# goals are for one after another (make clean all).
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

ifeq ($(filter help clean bootstrap,$(MAKECMDGOALS)),)
include config.mk
endif

SAN ?=
, := ,
B := build$(if $(SAN),-$(subst $(,),-,$(SAN)))
ifeq ($(MAKELEVEL)$(filter help lint,$(MAKECMDGOALS)),0)
ONE_MAKE := $(shell scripts/common/one_make $B $$PPID)
endif
# Lines are enough for a backtrace; variables as well would take two fifths more of a build's time.
OPT ?= -O1 -g1
DESTDIR ?=

# ---- configure by itself ----------------------------------------------------
configure: configure.ac
	@scripts/bootstrap
	autoconf
# What scripts/bootstrap nccl has brought since is found anew.
config.mk: config.mk.in configure $(wildcard $(NCCL_WHEELS)/versions)
	@scripts/bootstrap
	./configure --quiet

# ---- flags --------------------------------------------------------------------
PACKAGES := libsodium sqlite3 spdlog hwloc zlib
CPPFLAGS := -I. -DBOOST_ASIO_SEPARATE_COMPILATION -DBOOST_ASIO_NO_DEPRECATED \
  -DBOOST_BIND_GLOBAL_PLACEHOLDERS -DWM_VERSION='"$(VERSION)"' \
  $(if $(PKG_CONFIG),$(shell $(PKG_CONFIG) --cflags $(PACKAGES)))
# A group's compiler would spend a fifteenth of its time on keeping below 130 MB.
COLLECT_LATE := $(if $(findstring clang,$(CXX)),,--param=ggc-min-heapsize=600000)
# A group brings more into a static program than it uses: what is not reached goes, and what that
# would have needed.
SECTIONS := $(if $(SAN),,-ffunction-sections -fdata-sections)
# A designated initializer leaves fields out on purpose: they keep their defaults.
CXXFLAGS := -std=c++20 -Wall -Wextra -Werror -Wno-missing-field-initializers -Wno-maybe-uninitialized -fPIC -pthread $(OPT) $(SECTIONS) $(COLLECT_LATE) \
  $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer $(if $(findstring thread,$(SAN)),-Wno-tsan))
# What debuggers read is two thirds of a program, a third once compressed, which takes no time that shows.
LDFLAGS := -pthread -Wl,--as-needed -Wl,--compress-debug-sections=zlib $(LINKER) $(if $(SAN),-fsanitize=$(SAN))
# A command is linked whole: no library is looked up or relocated when it starts, a third of its
# time. It asks no name service of the C library (libwm/client/names.h), which could not be.
COMMAND_LINK := $(if $(SAN),,-static -no-pie -Wl,--gc-sections)
COMMAND_LIBS := $(if $(SAN),-lmunge -lsqlite3,-l:libmunge.a -l:libsqlite3.a -lm $(if $(LINKER),,-Wl$(,)--no-warnings))
# Daemons take along what their machines may lack, and look up their symbols when they start.
STATIC_RUNTIME := $(if $(SAN),,-static-libstdc++ -static-libgcc)
# What Python loads goes into processes of any environment, so it needs no library but the C library's: what nothing in it
# calls is left out before it is looked where that comes from.
LOADED_LINK := $(if $(SAN),,-Wl,--gc-sections)
# The shepherd is forked for each attempt and forks each task: linked whole there are 12 mappings to
# copy and to take down instead of 35. It, too, asks no name service.
SHEPHERD_LINK := $(if $(SAN),,-static-pie -Wl,--gc-sections)
LDLIBS := -lboost_program_options -lz -lsqlite3 -lmunge -lhwloc -lspdlog -lfmt -ldl
LDLIBS_STATIC := $(if $(SAN),-lboost_program_options -lz,\
  -l:libboost_program_options.a -l:libz.a)
SODIUM := $(if $(SAN),-lsodium,-l:libsodium.a)
TESTLIBS := -lgmock -lgtest -lgtest_main

# ---- what there is ----------------------------------------------------------------
# lib_files NAME: its own sources and those of its rooms. What users link with their programs is no
# part of the trainer's library.
lib_files = $(filter-out libwm/trainer/groups/%,$(wildcard libwm/$(1)/*.cc libwm/$(1)/*/*.cc))
LIBS := $(foreach f,$(call lib_files,*),$(word 2,$(subst /, ,$f)))
# WITHOUT: libraries that the goal at hand does not need.
LIBS := $(filter-out $(WITHOUT),$(sort $(LIBS)))
LIB_A := $(LIBS:%=$B/lib/libwm_%.a)
# What speaks gRPC is built and installed separately: make grpc.
DAEMONS := $(sort $(filter-out wgrpc,$(notdir $(patsubst %/,%,$(dir $(wildcard daemons/*/main.cc))))))
COMMANDS := $(basename $(notdir $(wildcard commands/*.cc)))
# Commands that need libraries of their own are programs of their own; the others are one.
OWN := bsearch bsim bwhatif wmreport wmtop
TOGETHER := $(filter-out $(OWN),$(COMMANDS))
UNITS := $(sort $(notdir $(patsubst %/,%,$(dir $(wildcard test/unit/*/*_test.cc)))))
# Longer groups of tests, one binary a folder.
GROUPS_T := $(foreach g,prop sim fault,$(if $(wildcard test/$g/*_test.cc),$g))

# ---- groups -----------------------------------------------------------------------------
# What the files of one folder include is read once for GROUP of them, which is more than half of a
# build's time. So names of a file's own are unique in its folder, in a library also in its rooms,
# whose files share groups. A file that somebody edits is compiled alone from then on, until
# `make clean`: $B/alone lists them. More than eight files new at once come from elsewhere and stay
# in their groups. `make EACH=1` compiles every file alone, which
# finds an include that only its neighbours have.
GROUP ?= 20
EACH ?=
ifeq ($(filter help clean bootstrap,$(MAKECMDGOALS)),)
EDITED := $(if $(wildcard $B/alone),$(shell find libwm daemons commands test -name '*.cc' -newer $B/alone))
ALONE := $(file <$B/alone) $(if $(word 9,$(EDITED)),,$(EDITED))
$(if $(wildcard $B/alone),$(if $(EDITED),$(file >$B/alone,$(sort $(ALONE)))),$(shell mkdir -p $B; : >$B/alone))
endif

obj = $(patsubst %.cc,$B/obj/%.o,$(1))
# grouped FILES: the objects that hold these files of one folder.
grouped = $(if $(EACH),$(call obj,$(1)),$(call obj,$(filter $(ALONE),$(1))) $(call groups,$(filter-out $(ALONE),$(1)),1))
groups = $(if $(word 2,$(1)),$(call one_group,$(dir $(word 1,$(1)))group-$(words $(2)),$(wordlist 1,$(GROUP),$(1))) \
  $(call groups,$(wordlist $(words $(GROUP_COUNT) +),$(words $(1)),$(1)),$(2) 1),$(call obj,$(1)))
GROUP_COUNT := $(shell seq $(GROUP))
# one_group NAME FILES: its object. A source that holds other files than these is made again.
one_group = $(eval GROUP_FILES_$(1) := $(2))$(eval GROUP_CC += $B/group/$(1).cc)$(if $(call group_differs,$B/group/$(1).cc,$(2)),$(shell rm -f $B/group/$(1).cc $B/obj/$(1).o))$B/obj/$(1).o
group_differs = $(if $(wildcard $(1)),$(subst $(patsubst %,"%",$(2)),,$(filter %.cc",$(file <$(1))))$(subst \
  $(filter %.cc",$(file <$(1))),,$(patsubst %,"%",$(2))))

ROOMS := $(sort $(patsubst %/,%,$(dir $(call lib_files,*) $(wildcard daemons/*/*.cc daemons/*/*/*.cc \
  commands/*.cc commands/*/*.cc))))
SUPPORT_OBJ := $(call grouped,$(wildcard test/support/*.cc))
COMMON_OBJ := $(call grouped,$(wildcard commands/common/*.cc))

SBIN := $(DAEMONS:%=$B/sbin/%)
BIN := $(COMMANDS:%=$B/bin/%)
# Commands of one Python file, which people take along: bin/NAME is that file.
SCRIPTS := $(patsubst commands/%.py,$B/bin/%,$(wildcard commands/*.py))
TESTS := $(UNITS:%=$B/test/unit_%) $(GROUPS_T:%=$B/test/%)
BENCHES := $(patsubst test/bench/%.cc,$B/bench/%,$(wildcard test/bench/*.cc))
TRAINER := $(if $(wildcard libwm/trainer/*.cc),$B/lib/libwmtrainer.so)
# The kernels' end of inference services: a C ABI, loaded by Python or linked by a user's program.
KERNEL := $(if $(wildcard libwm/kernel/*.cc),$B/lib/libwmserve.so)
# The C++ trainer over the C interface, with groups over gloo: linked into users' programs.
GROUPS_A := $B/lib/libwmgroups.a
# The same over NCCL, where there are its headers and those of CUDA's runtime.
NCCL_A := $(if $(NCCL_CPPFLAGS),$B/lib/libwmgroups_nccl.a)
MPI_A := $(if $(MPICXX),$B/lib/libwmgroups_mpi.a)
# Example programs of users: test/examples/NAME_train.cc becomes one; the other files are their parts.
EXAMPLES := $(patsubst test/examples/%.cc,$B/test/examples/%,$(wildcard test/examples/*_train.cc))
EXAMPLE_OBJ := $(call obj,$(filter-out %_train.cc,$(wildcard test/examples/*.cc)))

.PHONY: grpc check-grpc all programs demo-programs tests each objects bench-build check bench bench-pairs bench-pages bench-search sim-report demo demo-web lint install uninstall deb check-install clean help bootstrap soak check-v2 check-clients wheels
all: programs
programs: $B/sanitizers $(SBIN) $(BIN) $(SCRIPTS) $(TRAINER) $(KERNEL) $(GROUPS_A) $(NCCL_A) $(MPI_A) python gpu-programs pages
tests: $(TESTS) $(EXAMPLES)
# Two users' elastic jobs on a private cluster need no more.
demo-programs: $(patsubst %,$B/sbin/%,wmasterd wnoded wshepherd wagent) $(TOGETHER:%=$B/bin/%) $(TRAINER) python

# ---- rules --------------------------------------------------------------------------
# What this folder was built with, empty for none: tests read it, not the folder's name.
$B/sanitizers:
	@mkdir -p $(@D); echo -n '$(SAN)' >$@

# What most files include of others is parsed once, which is a quarter of a build's time.
# `make PRECOMPILED= B=build-plain` does without: there a file that lacks an include fails.
PRECOMPILED ?= $B/precompiled
FOR_ALL := $(if $(PRECOMPILED),$(PRECOMPILED)/libwm/base/precompiled.h)
FOR_TESTS := $(if $(PRECOMPILED),$(PRECOMPILED)/test/support/precompiled.h)
# GCC 12 forgets what the library's own pragmas, once precompiled, keep it from warning of; and takes
# a file of a group for a header, whose types must not hold those of its own.
NO_FALSE_ALARMS := -Wno-subobject-linkage -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict
# ccache knows a precompiled header by its .sum: what it is made of, not what the compiler wrote.
export CCACHE_SLOPPINESS := pch_defines,time_macros
export CCACHE_PCH_EXTSUM := 1
# A path of this folder would make each clone miss what another has compiled.
COMPILE = $(CXX) $(CPPFLAGS) $(CXXFLAGS) -fdebug-prefix-map=$(CURDIR)=.
define object
	@mkdir -p $(@D)
	@echo "  CXX   $<"
	@$(if $(READ_ONLY),,$(CCACHE)) $(COMPILE) $(if $(1),$(NO_FALSE_ALARMS) -fpch-preprocess -include $(1)) -MMD -MP \
	  $(if $(READ_ONLY),-MF $(@:.o=.d) -MT $@ -fsyntax-only $< && touch $@,-c $< -o $@)
endef
$B/obj/%.o: %.cc config.mk $(addsuffix .gch,$(FOR_ALL))
	$(call object,$(FOR_ALL))
$B/obj/%.o: $B/group/%.cc config.mk $(addsuffix .gch,$(FOR_ALL))
	$(call object,$(FOR_ALL))
$B/obj/test/unit/%.o: test/unit/%.cc config.mk $(addsuffix .gch,$(FOR_TESTS))
	$(call object,$(FOR_TESTS))
$B/obj/test/unit/%.o: $B/group/test/unit/%.cc config.mk $(addsuffix .gch,$(FOR_TESTS))
	$(call object,$(FOR_TESTS))
# The main of each command has the command's name where many are one program.
INCLUDE_COMMAND := \#define main %s_main\n\#include "%s"\n\#undef main\n
$(TOGETHER:%=$B/obj/commands/%.o): private CPPFLAGS += -Dmain=$(basename $(@F))_main

# Its .d names the headers of the system, too: a new version of theirs is parsed anew.
$(addsuffix .gch,$(FOR_ALL) $(FOR_TESTS)): $(PRECOMPILED)/%.h.gch: %.h config.mk
	@mkdir -p $(@D); cp $< $(@:.gch=)
	@echo "  CXX   $<"
	@$(COMPILE) -w -x c++-header -MD -MP -c $< -o $@
	@$(COMPILE) -w -x c++-header -E -P $< | sha256sum >$@.sum

# The time of a unit test goes into compiling it.
$B/obj/test/unit/%.o $(addsuffix .gch,$(FOR_TESTS)): OPT := $(subst -O1,-O0,$(OPT))
# Of the tests' own code only memory is watched: the checks of all it does doubled a build's time.
$B/obj/test/%.o: CXXFLAGS := $(subst -fsanitize=address$(,)undefined,-fsanitize=address,$(CXXFLAGS))

# Thin: they name their objects, and hold none.
define library
$B/lib/libwm_$(1).a: $$(call grouped,$$(call lib_files,$(1)))
	@mkdir -p $$(@D); rm -f $$@
	@ar rcsT $$@ $$^
endef
$(foreach l,$(LIBS),$(eval $(call library,$(l))))

# What programs with sanitizers are linked with.
SAN_OBJ := $(if $(SAN),$(call obj,test/support/sanitizer/dlopen.cc))
link = @mkdir -p $(@D); echo "  LINK  $@"; $(CCACHE) $(CXX) $(LDFLAGS) $(1) -o $@ \
  -Wl,--start-group $(LIB_A) -Wl,--end-group

$(SBIN) $(BIN) $(TESTS): $(SAN_OBJ)

# wuserd unpacks archives.
DAEMON_LIBS_wuserd := -larchive
DAEMON_LIBS_wlogind := -lpam

# A daemon folder may hold further programs: NAME.main.cc becomes sbin/NAME.
# The many small rooms of wuserd share groups, as those of a library do; others' rooms have groups of their own.
ONE_GROUP := wuserd
rooms_of_daemon = $(if $(filter $(ONE_GROUP),$(1)),daemons/$(1)/*.cc:daemons/$(1)/*/*.cc,daemons/$(1)/*.cc $(addsuffix /*.cc,$(wildcard daemons/$(1)/*)))
define daemon
DAEMON_OBJ_$(1) := $$(foreach rooms,$$(call rooms_of_daemon,$(1)),$$(call grouped,$$(filter-out %main.cc,$$(wildcard $$(subst :, ,$$(rooms))))))
$B/sbin/$(1): $$(DAEMON_OBJ_$(1)) $$(call obj,daemons/$(1)/main.cc) $$(LIB_A)
	$$(call link,$$(filter %.o,$$^)) -Wl,-z,now $$(SODIUM) \
	  $$(if $$(filter wshepherd,$(1)),$$(SHEPHERD_LINK) $$(LDLIBS_STATIC) $$(COMMAND_LIBS),$$(STATIC_RUNTIME) $$(LDLIBS) $$(DAEMON_LIBS_$(1)))
endef
$(foreach d,$(DAEMONS),$(eval $(call daemon,$(d))))

command_link = $(call link,$(filter %.o,$^)) $(COMMAND_LINK) $(SODIUM) $(LDLIBS_STATIC) $(COMMAND_LIBS)
$(OWN:%=$B/bin/%): $B/bin/%: $B/obj/commands/%.o $(COMMON_OBJ) $(LIB_A)
	$(command_link)
# One program, known to users by its links: linked once, and a tenth of the room.
TOGETHER_OBJ := $(call grouped,$(TOGETHER:%=commands/%.cc))
$B/bin/wm-commands: $B/obj/commands/together/main.o $(TOGETHER_OBJ) $(COMMON_OBJ) $(LIB_A)
	$(command_link)
$B/obj/commands/together/main.o: private CPPFLAGS += -I$B/group
$B/obj/commands/together/main.o: $B/group/commands.inc
$B/group/commands.inc: $(TOGETHER:%=commands/%.cc)
	@mkdir -p $(@D); printf 'COMMAND(%s)\n' $(TOGETHER) >$@
$(TOGETHER:%=$B/bin/%): $B/bin/wm-commands
	@ln -sf $(<F) $@
# It reads the databases themselves, whether the master is up or not.
REPORT_OBJ := $(call grouped,$(wildcard commands/report/*.cc))
$B/bin/wmreport: $(REPORT_OBJ)
# A full screen. The descriptions of terminals are read where the program runs.
$B/bin/wmtop: COMMAND_LIBS += $(if $(SAN),-lncursesw -ltinfo,-l:libncursesw.a -l:libtinfo.a)

# One file for users: the program as __main__ and its folder of modules, packed; Python runs that.
MODULES_lsf2wm := convert
MODULES_slurm2wm := convert
MODULES_wm-notebook := notebooks
MODULES_wmfetch := fetching
define script
$B/bin/$(1): commands/$(1).py $(if $(MODULES_$(1)),$(wildcard commands/$(MODULES_$(1))/*.py))
	@mkdir -p $$(@D); $(if $(MODULES_$(1)),python3 scripts/common/one_program $$@ $$< commands/$(MODULES_$(1)),install -m 755 $$< $$@)
endef
$(foreach s,$(SCRIPTS:$B/bin/%=%),$(eval $(call script,$(s))))

# The gRPC door: sources made of its .proto files, and libraries that nothing else needs. Those of
# its tests that speak gRPC are built where gRPC is, elsewhere one that says that they are skipped.
GRPC_PROTOS := $(wildcard daemons/wgrpc/*.proto)
GRPC_MADE := $(GRPC_PROTOS:%.proto=$B/grpc/%.pb.cc) $(GRPC_PROTOS:%.proto=$B/grpc/%.grpc.pb.cc)
GRPC_OBJ := $(call obj,$(wildcard daemons/wgrpc/*.cc))
# Names nothing of gRPC.
GRPC_FREE := $(call obj,daemons/wgrpc/conversation.cc)
# The sanitizer of threads sees races in libraries that were built without it.
GRPC_HERE := $(if $(findstring thread,$(SAN)),,$(shell command -v grpc_cpp_plugin >/dev/null && $(PKG_CONFIG) --exists grpc++ 2>/dev/null && echo yes))
GRPC_TESTS := $(addprefix test/unit/wgrpc/,door_test.cc streams_test.cc tensors_test.cc)
LEFT_OUT := $(if $(GRPC_HERE),test/unit/wgrpc/without_grpc_test.cc,$(GRPC_TESTS))
unit_files = $(filter-out $(LEFT_OUT),$(wildcard test/unit/$(1)/*.cc))
define unit
$B/test/unit_$(1): $$(call grouped,$$(call unit_files,$(1))) $$(SUPPORT_OBJ) $$(UNIT_EXTRA_$(1)) $$(LIB_A)
	$$(call link,$$(filter %.o,$$^)) $$(SODIUM) $$(LDLIBS) $$(UNIT_LIBS_$(1)) $$(TESTLIBS)
endef
# A test of a daemon's folder links that folder's objects, never its main.
$(foreach d,$(DAEMONS),$(eval UNIT_EXTRA_$(d) = $(DAEMON_OBJ_$(d))))
$(foreach d,$(DAEMONS),$(eval UNIT_LIBS_$(d) = $(DAEMON_LIBS_$(d))))
UNIT_EXTRA_wgrpc = $(if $(GRPC_HERE),$(filter-out %/main.o,$(GRPC_OBJ)) $(GRPC_MADE:%.cc=%.o),$(GRPC_FREE))
UNIT_LIBS_wgrpc = $(if $(GRPC_HERE),$(shell $(PKG_CONFIG) --libs grpc++ protobuf))
UNIT_EXTRA_commands = $(COMMON_OBJ) $(REPORT_OBJ)
UNIT_EXTRA_groups = $(call obj,$(wildcard libwm/trainer/groups/*.cc))
UNIT_LIBS_groups = -lgloo
$(foreach u,$(UNITS),$(eval $(call unit,$(u))))
define group
$B/test/$(1): $$(call grouped,$$(wildcard test/$(1)/*.cc)) $$(SUPPORT_OBJ) $$(DAEMON_OBJ_wmasterd) $$(DAEMON_OBJ_wnoded) $$(LIB_A)
	$$(call link,$$(filter %.o,$$^)) $$(SODIUM) $$(LDLIBS) $$(TESTLIBS)
endef
$(foreach g,$(GROUPS_T),$(eval $(call group,$(g))))

# The C++ runtime of the gRPC door's libraries is the machine's, so that there is one.
grpc: $B/sbin/wgrpc
$B/grpc/%.pb.cc $B/grpc/%.grpc.pb.cc: %.proto
	@command -v grpc_cpp_plugin >/dev/null || { echo "no gRPC here: run scripts/bootstrap grpc" >&2; exit 1; }
	@mkdir -p $(@D); echo "  PROTO $<"
	@protoc -I. --cpp_out=$B/grpc --grpc_out=$B/grpc --plugin=protoc-gen-grpc=$$(command -v grpc_cpp_plugin) $<
GRPC_TEST_OBJ := $(if $(GRPC_HERE),$(call grouped,$(call unit_files,wgrpc)))
$(GRPC_OBJ) $(GRPC_TEST_OBJ): CPPFLAGS += -isystem $B/grpc $(shell $(PKG_CONFIG) --cflags grpc++ 2>/dev/null)
$(filter-out $(GRPC_FREE),$(GRPC_OBJ)) $(GRPC_TEST_OBJ): | $(GRPC_MADE)
$(GRPC_MADE:%.cc=%.o): %.o: %.cc
	@echo "  CXX   $<"
	@$(CCACHE) $(COMPILE) -w -I$B/grpc -c $< -o $@
$B/sbin/wgrpc: $(GRPC_OBJ) $(GRPC_MADE:%.cc=%.o) $(LIB_A) $(SAN_OBJ)
	$(call link,$(filter %.o,$^)) $(SODIUM) $(LDLIBS) $$($(PKG_CONFIG) --libs grpc++ protobuf)

# Libraries and programs that stand in for a GPU driver: test/support/stub/X.cc becomes one.
STUBS := $B/stub/libnvidia-ml-stub.so $(if $(NCCL_CPPFLAGS),$B/stub/nccl_train)
$B/stub/libnvidia-ml-stub.so: $B/obj/test/support/stub/nvml.o
	@mkdir -p $(@D); echo "  LINK  $@"
	@$(CXX) -shared $(LDFLAGS) -o $@ $<
$B/stub/libnccl-stub.so: $B/obj/test/support/stub/nccl.o
	@mkdir -p $(@D); echo "  LINK  $@"
	@$(CXX) -shared $(LDFLAGS) -o $@ $<
$(TESTS): | $(STUBS)

$(BENCHES): $B/bench/%: $B/obj/test/bench/%.o $(SUPPORT_OBJ) $(DAEMON_OBJ_wmasterd) $(LIB_A)
	$(call link,$(filter %.o,$^)) $(SODIUM) $(LDLIBS) -lbenchmark

# The in-job runtime: a C ABI, loaded by Python or linked by a user's program. With sanitizers it
# would not load into Python, which gets one without.
TRAINER_LINKED := $(if $(SAN),$B/lib/sanitized/libwmtrainer.so,$(TRAINER))
LINK_TRAINER = -L$(dir $(TRAINER_LINKED)) -lwmtrainer -Wl,-rpath,$(abspath $(dir $(TRAINER_LINKED)))
ifdef SAN
$(TRAINER): $(LIB_A)
	@$(MAKE) --no-print-directory SAN= build/lib/libwmtrainer.so
	@mkdir -p $(@D); cp build/lib/libwmtrainer.so $@
endif
$(TRAINER_LINKED): $(LIB_A)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CXX) -shared $(LDFLAGS) $(LOADED_LINK) -o $@ -Wl,--whole-archive $B/lib/libwm_trainer.a \
	  -Wl,--no-whole-archive -Wl,--start-group $(LIB_A) -Wl,--end-group \
	  -Wl,--version-script=libwm/trainer/exports.map $(SODIUM) $(STATIC_RUNTIME) $(LDLIBS)

# As the trainer's: with sanitizers Python gets one without.
ifdef SAN
$(KERNEL): $(LIB_A)
	@$(MAKE) --no-print-directory SAN= build/lib/libwmserve.so
	@mkdir -p $(@D); cp build/lib/libwmserve.so $@
else
$(KERNEL): $(LIB_A)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	@$(CXX) -shared $(LDFLAGS) $(LOADED_LINK) -o $@ -Wl,--whole-archive $B/lib/libwm_kernel.a \
	  -Wl,--no-whole-archive -Wl,--start-group $(LIB_A) -Wl,--end-group \
	  -Wl,--version-script=libwm/kernel/exports.map $(SODIUM) $(STATIC_RUNTIME) $(LDLIBS)
endif

$(GROUPS_A): $(call obj,$(wildcard libwm/trainer/groups/*.cc))
	@mkdir -p $(@D); rm -f $@
	@echo "  AR    $@"
	@ar rcs $@ $^
$(NCCL_A): $(call obj,$(wildcard libwm/trainer/groups/nccl/*.cc))
	@mkdir -p $(@D); rm -f $@
	@echo "  AR    $@"
	@ar rcs $@ $^
# What includes NCCL's and CUDA's headers; theirs are not held to our warnings.
$(call obj,$(wildcard libwm/trainer/groups/nccl/*.cc) test/support/stub/nccl.cc): \
  CPPFLAGS += $(NCCL_CPPFLAGS)
$(EXAMPLES): $B/%: $B/obj/%.o $(EXAMPLE_OBJ) $(GROUPS_A) $(TRAINER_LINKED)
	@mkdir -p $(@D); echo "  LINK  $@"
	@$(CXX) $(LDFLAGS) -o $@ $(filter %.o,$^) $(GROUPS_A) $(LINK_TRAINER) -lgloo
$B/stub/nccl_train: $B/obj/test/support/stub/nccl_train.o $(EXAMPLE_OBJ) $(NCCL_A) $(GROUPS_A) \
  $B/stub/libnccl-stub.so $(TRAINER_LINKED)
	@mkdir -p $(@D); echo "  LINK  $@"
	@$(CXX) $(LDFLAGS) -o $@ $(filter %.o,$^) $(NCCL_A) $(GROUPS_A) $(LINK_TRAINER) \
	  -L$B/stub -lnccl-stub -Wl,-rpath,$(abspath $B/stub)

# MPI's own compiler knows where MPI is; the sanitizers do not go with its plug-ins.
$(call obj,$(wildcard libwm/trainer/groups/mpi/*.cc)): CXX := $(MPICXX)
$(MPI_A): $(call obj,$(wildcard libwm/trainer/groups/mpi/*.cc))
	@mkdir -p $(@D); rm -f $@
	@echo "  AR    $@"
	@ar rcs $@ $^
MPI_EXAMPLES := $(if $(SAN),,$(if $(MPICXX),$(patsubst test/examples/mpi/%.cc,$B/test/examples/%,\
  $(wildcard test/examples/mpi/*_train.cc))))
tests: $(MPI_EXAMPLES)
$(MPI_EXAMPLES): $B/test/examples/%: $B/obj/test/examples/mpi/%.o $(EXAMPLE_OBJ) $(MPI_A) \
  $(GROUPS_A) $(TRAINER)
	@mkdir -p $(@D); echo "  LINK  $@"
	@$(MPICXX) $(LDFLAGS) -o $@ $(filter %.o,$^) $(MPI_A) $(GROUPS_A) -L$B/lib -lwmtrainer \
	  -Wl,-rpath,$(abspath $B/lib)

# Self-tests of GPUs: a file NAME.cu under commands/gpu becomes bin/NAME where configure found
# nvcc, and NCCL where its name says so. PTX for every device since compute capability 8.0, made
# ready for 9.0; CUDA's runtime is linked statically.
NVCCFLAGS := -O2 -I. -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=sm_90
# Examples of GPU programs: test/examples/NAME.cu becomes test/examples/NAME in the build folder.
GPU_EXAMPLES := $(if $(SAN),,$(if $(NVCC),$(if $(NCCL_LIBS),$(patsubst %.cu,$B/%,$(wildcard test/examples/*.cu)))))
tests: $(GPU_EXAMPLES)
$(GPU_EXAMPLES): $B/%: %.cu $(wildcard commands/gpu/*.cuh test/examples/*.cuh) $(EXAMPLE_OBJ) \
  $(NCCL_A) $(GROUPS_A) $(TRAINER)
	@mkdir -p $(@D); echo "  NVCC  $@"
	@$(NVCC) $(NVCCFLAGS) $(NCCL_CPPFLAGS) -std=c++20 -o $@ $< $(filter %.o,$^) $(NCCL_A) $(GROUPS_A) -L$B/lib \
	  -lwmtrainer -Xlinker -rpath,$(abspath $B/lib) $(NCCL_LIBS)
GPU_BIN := $(if $(NVCC),$(patsubst commands/gpu/%.cu,$B/bin/%,\
  $(filter-out $(if $(NCCL_LIBS),,%/wm-ncclcheck.cu),$(wildcard commands/gpu/*.cu))))
.PHONY: gpu-programs
gpu-programs: $(GPU_BIN)
$B/bin/wm-ncclcheck: NVCCFLAGS += $(NCCL_CPPFLAGS)
$B/bin/wm-ncclcheck: NCCL_LIB := $(NCCL_LIBS)
$(GPU_BIN): $B/bin/%: commands/gpu/%.cu $(wildcard commands/gpu/*.cuh)
	@mkdir -p $(@D); echo "  NVCC  $@"
	@$(NVCC) -std=c++17 $(NVCCFLAGS) -o $@ $< $(NCCL_LIB)

# Python modules beside the library that they load.
PYTHON_SRC := $(shell find libwm/trainer/python -name '*.py' 2>/dev/null)
PYTHON_OUT := $(PYTHON_SRC:libwm/trainer/python/%=$B/lib/python/%)
# One that has moved is not to be found where it was.
PYTHON_GONE = $(filter-out $(PYTHON_OUT),$(shell find $B/lib/python -name '*.py' 2>/dev/null))
.PHONY: python
python: $(PYTHON_OUT) $(if $(PYTHON_SRC),$B/fabric/libs/fabric.zip)
	@rm -f $(PYTHON_GONE)
$B/lib/python/%.py: libwm/trainer/python/%.py
	@mkdir -p $(@D); cp $< $@
# FABRIC_HOME: training scripts put $FABRIC_HOME/libs/fabric.zip before their own modules on sys.path.
# So at its top is what WMLA's has, and nothing that scripts bring themselves.
$B/fabric/libs/fabric.zip: $(PYTHON_SRC)
	@mkdir -p $(@D); rm -f $@; echo "  ZIP   $@"
	@cd libwm/trainer/python && python3 -m zipfile -c $(abspath $@) fabric_model wm_elastic pyedt wm_steps.py last last/callbacks

# What browsers get; where node is not, there is none.
PAGES_SRC := $(shell find daemons/wgatewayd/pages -name node_modules -prune -o -type f -print) $(wildcard commands/guides/*.md)
.PHONY: pages
pages: $B/pages.made
$B/pages.made: $(PAGES_SRC) scripts/common/build_pages
	@scripts/common/build_pages $B/pages $@

# Eigen is templates all through; so much of its time goes into calls that nobody inlined.
$B/obj/libwm/search/%.o: OPT := $(subst -O1,-O2,$(OPT))
$B/obj/libwm/search/%.o: CPPFLAGS += $(subst -I,-isystem ,$(shell $(PKG_CONFIG) --cflags eigen3))

# The library itself is opened at run time, by agents of jobs that use it.
$B/obj/daemons/wagent/ranks/%.o: CPPFLAGS += $(shell $(PKG_CONFIG) --cflags pmix)

$(sort $(GROUP_CC)): $B/group/%.cc:
	@mkdir -p $(@D)
	@printf '$(if $(filter commands/group-%,$*),$(INCLUDE_COMMAND),#include "%s"\n)' \
	  $(foreach f,$(GROUP_FILES_$*),$(if $(filter commands/group-%,$*),$(basename $(notdir $f))) $f) >$@

-include $(shell find $B -name '*.d' -type f 2>/dev/null)

# ---- what people run --------------------------------------------------------------------
bootstrap:
	@scripts/bootstrap
# Without NCCL's headers, node's modules or Python's own packages, or a registry that has them, the tests of them are skipped. Those of
# sanitizers are not run on Python's own packages.
check: bootstrap
	@$(if $(NCCL_CPPFLAGS),,scripts/bootstrap nccl || :)
	@$(if $(SAN),,scripts/bootstrap python || :)
	@! command -v npm >/dev/null || scripts/common/node_modules || :
	@$(MAKE) --no-print-directory all tests
	@B=$B scripts/check
lint:
	@scripts/lint
bench: all $(BENCHES)
	@B=$B scripts/bench
# Beside another built tree, by turns: OLD=FOLDER.
bench-pairs: all
	@B=$B scripts/bench_pairs $(OLD)
# What searches find, beside Optuna's where scripts/bootstrap search has installed it.
# The pages in a headless browser, beside what is aimed at.
bench-pages: programs
	@B=$B $$(scripts/common/python) test/bench/pages_bench.py --table

bench-search: $B/bench/search_quality
	@B=$B scripts/bench_search
# The lists of jobs are no part of this: TRACES=FOLDER, default ../shared/data/traces.
sim-report: $B/bin/bsim
	@B=$B TRACES=$(TRACES) scripts/sim_report
# Every file alone before the compiler's front end, a third of a compilation: one that lacks an include fails.
each:
	+@scripts/progress B=$B/each EACH=1 READ_ONLY=1 objects
ifneq ($(EACH),)
objects: $(strip $(foreach r,$(filter-out daemons/wgrpc,$(ROOMS)),$(call obj,$(filter-out %main.cc,$(wildcard $r/*.cc)))))
endif
soak: all tests
	@$(if $(SAN),,scripts/bootstrap python || :)
	@B=$B scripts/check --soak
	@scripts/other_debian make check
	@$(if $(SAN),,B=$B scripts/mutants --list test/mutants.rooms --minutes 60)
# Clients written for LSF as Debian ships them, where they are installed; not a part of check.
check-clients: all
	@B=$B bats test/clients
# Clients of gRPC ask a service; not a part of check.
check-grpc: all grpc
	@B=$B bats test/grpc
check-v2: $B/test/fault $B/sbin/wshepherd
	@B=$B scripts/v2_check
demo: bootstrap
	+@scripts/progress B=$B WITHOUT='kernel replay' demo-programs
	@B=$B scripts/demo
demo-web:
	@scripts/bootstrap web
	+@scripts/progress B=$B all
	@B=$B scripts/demo-web
# What a build costs; takes tens of minutes.
bench-build:
	@scripts/bench_build
install: all
	@B=$B DESTDIR=$(DESTDIR) prefix=$(prefix) sysconfdir=$(sysconfdir) scripts/install
deb: all
	@B=$B scripts/deb
# What etc/INSTALL.md says, typed on two clean machines; as root.
check-install: all
	@scripts/bootstrap install
	@B=$B scripts/install_check
# What jobs import, for environments that shall have it by pip.
wheels: $(TRAINER) $(KERNEL) python
	@B=$B scripts/wheels
uninstall:
	@DESTDIR=$(DESTDIR) prefix=$(prefix) scripts/uninstall
clean:
	rm -rf build build-* config.mk config.log config.status configure autom4te.cache
help:
	@echo "make            programs in build/bin and build/sbin"
	@echo "make demo       installs what is missing, builds, and shows two users' elastic"
	@echo "                jobs sharing four GPUs (results in DEMO_DIR, default demo-out)"
	@echo "make demo-web   the same through the web door: by page in a headless browser, by dlicmd and"
	@echo "                curl, with a screenshot of every step in DEMO_DIR"
	@echo "make check      builds and runs every test; SAN=address,undefined or SAN=thread"
	@echo "make wheels     what jobs import, as a wheel for pip, in build/wheels"
	@echo "make check-v2   the tests of limits and devices where cgroups are version 2 alone,"
	@echo "                in an emulated machine (scripts/bootstrap v2 installs it)"
	@echo "make check-clients  Debian's snakemake, toil … drive a cluster (scripts/bootstrap clients)"
	@echo "make grpc       sbin/wgrpc, streams to inference services (scripts/bootstrap grpc); make check-grpc"
	@echo "make each       reads every file alone, as EACH=1 compiles it: finds missing includes"
	@echo "make bench      measures, printing name value unit"
	@echo "make bench-pages  the pages in a headless browser (scripts/bootstrap web)"
	@echo "make bench-build  measures building: time, CPU, room (RUNS=3; CHECK=1 DEMO=1: those, too)"
	@echo "make bench-pairs OLD=TREE  submission, start and bjobs beside another built tree"
	@echo "make bench-search  what searches find, against Optuna's (scripts/bootstrap search)"
	@echo "make sim-report simulates the real job lists and writes test/sim/RESULTS.md"
	@echo "                (TRACES=FOLDER, default ../shared/data/traces)"
	@echo "make lint       clang-format and clang-tidy"
	@echo "make soak       the long forms of the tests; then make check in the other Debian (scripts/other_debian), then an hour of mutants"
	@echo "make deb        Debian packages in build/deb; etc/INSTALL.md tells what to do with them"
	@echo "make check-install  does what etc/INSTALL.md says on two clean machines; as root"
	@echo "make install    DESTDIR= prefix= sysconfdir=; make uninstall takes it away again"
