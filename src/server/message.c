// One small function per type of message; `expect` counts the fields that were read, so that an extra one is noticed.
#include "server/message.h"

#include <math.h>
#include <string.h>

#include "core/error.h"

typedef struct Fields {
  const CpsFlatObject* object;
  const char* type;
  int used;
  CpsError* error;
} Fields;

typedef bool (*ReadFn)(Fields* fields, CpsMessage* message);

static const CpsFlatField* expect(Fields* fields, const char* key, CpsFlatKind kind, const char* what) {
  const CpsFlatField* field = cps_flat_find(fields->object, key);
  if (field && field->kind == kind) {
    fields->used++;
    return field;
  }
  cps_fail(fields->error, CPS_BAD_FORMAT, "%s: %s must be %s", fields->type, key, what);
  return NULL;
}

static bool read_bool(Fields* fields, const char* key, bool* out) {
  const CpsFlatField* field = expect(fields, key, CPS_FLAT_IS_BOOL, "true or false");
  if (field) *out = field->truth;
  return field != NULL;
}

static bool read_double(Fields* fields, const char* key, double* out) {
  const CpsFlatField* field = expect(fields, key, CPS_FLAT_IS_NUMBER, "a number");
  if (field) *out = field->numbers[0];
  return field != NULL;
}

static bool read_whole(Fields* fields, const char* key, int64_t* out) {
  double value = 0.0;
  if (!read_double(fields, key, &value)) return false;
  *out = (int64_t)value;  // cannot overflow: the reader's limit is 1e15
  if (value >= 0.0 && (double)*out == value) return true;
  cps_fail(fields->error, CPS_BAD_DATA, "%s: %s must be a whole number that is not negative", fields->type, key);
  return false;
}

static bool read_index(Fields* fields, int64_t* out) {
  return read_whole(fields, "index", out);
}

static bool read_vector(Fields* fields, const char* key, CpsVec3* out) {
  const CpsFlatField* field = expect(fields, key, CPS_FLAT_IS_NUMBERS, "three numbers");
  if (!field) return false;
  if (field->count != 3) {
    cps_fail(fields->error, CPS_BAD_FORMAT, "%s: %s must be three numbers", fields->type, key);
    return false;
  }
  *out = (CpsVec3){field->numbers[0], field->numbers[1], field->numbers[2]};
  return true;
}

// One of the words, as its number.
static bool read_choice(Fields* fields, const char* key, const char* const* words, int count, int* out) {
  const CpsFlatField* field = expect(fields, key, CPS_FLAT_IS_TEXT, "a text");
  if (!field) return false;
  for (*out = 0; *out < count; ++*out) {
    if (strcmp(field->text, words[*out]) == 0) return true;
  }
  cps_fail(fields->error, CPS_BAD_DATA, "%s: %s '%s' is not known", fields->type, key, field->text);
  return false;
}

// Objects that can be pulled come first.
static const char* const THINGS[] = {"body", "fibre", "sheet", "obstacle"};
static const CpsThingKind KINDS[] = {CPS_THING_BODY, CPS_THING_FIBRE, CPS_THING_SHEET, CPS_THING_OBSTACLE};
enum { PULLED = 3, ALL = 4 };

static bool read_thing(Fields* fields, CpsMessage* message, int kinds) {
  int kind = 0;
  if (!read_choice(fields, "kind", THINGS, kinds, &kind) || !read_index(fields, &message->index)) return false;
  message->kind = KINDS[kind];
  return true;
}

static bool read_nothing(Fields* fields, CpsMessage* message) {
  (void)fields;
  (void)message;
  return true;
}

// The quantities of grains besides their positions are optional.
static bool read_grains(Fields* fields, CpsMessage* message) {
  static const char* const WHAT[] = {"places", "speed", "pressure", "fraction", "status", "slice"};
  int what = 0;
  if (cps_flat_find(fields->object, "grains") && !read_choice(fields, "grains", WHAT, 6, &what)) return false;
  message->speed = what == 1;
  message->pressure = what == 2;
  message->fraction = what == 3;
  message->status = what == 4;
  message->stress = what == 5;
  return true;
}

static bool read_want(Fields* fields, CpsMessage* message) {
  return read_bool(fields, "contacts", &message->contacts) && read_bool(fields, "axes", &message->axes) &&
         read_bool(fields, "tension", &message->tension) && read_grains(fields, message);
}

static bool read_number_of_frame(Fields* fields, CpsMessage* message) {
  return read_index(fields, &message->index);
}

static bool read_series(Fields* fields, CpsMessage* message) {
  const CpsFlatField* field = expect(fields, "name", CPS_FLAT_IS_TEXT, "a text");
  if (field) memcpy(message->text, field->text, sizeof message->text);
  return field != NULL;
}

static bool read_pick(Fields* fields, CpsMessage* message) {
  message->frame = -1;
  if (cps_flat_find(fields->object, "frame") && !read_whole(fields, "frame", &message->frame)) return false;
  return read_thing(fields, message, ALL);
}

static bool read_set(Fields* fields, CpsMessage* message) {
  static const char* const KEYS[] = {"gravity", "mu", "step", "tolerance", "method", "grain_mu"};
  int key = 0;
  if (!read_choice(fields, "key", KEYS, 6, &key)) return false;
  message->key = (CpsSettingKey)key;
  if (message->key == CPS_SETTING_GRAVITY) return read_vector(fields, "value", &message->vector);
  if (message->key == CPS_SETTING_METHOD) {
    const CpsFlatField* field = expect(fields, "value", CPS_FLAT_IS_TEXT, "a text");
    if (field) memcpy(message->text, field->text, sizeof message->text);
    return field != NULL;
  }
  const CpsFlatField* value = cps_flat_find(fields->object, "value");
  const bool friction = message->key == CPS_SETTING_MU || message->key == CPS_SETTING_GRAIN_MU;
  message->is_null = friction && value && value->kind == CPS_FLAT_IS_NULL;
  if (!message->is_null) return read_double(fields, "value", &message->value);
  fields->used++;
  return true;
}

static bool read_grab(Fields* fields, CpsMessage* message) {
  if (!read_thing(fields, message, PULLED) || !read_vector(fields, "target", &message->target)) return false;
  if (message->kind == CPS_THING_BODY) return read_vector(fields, "point", &message->point);
  if (message->kind == CPS_THING_SHEET) return read_whole(fields, "vertex", &message->vertex);
  return read_double(fields, "s", &message->s);
}

static bool read_pin(Fields* fields, CpsMessage* message) {
  return read_index(fields, &message->index) && read_whole(fields, "vertex", &message->vertex) &&
         read_bool(fields, "held", &message->held);
}

static bool read_drag(Fields* fields, CpsMessage* message) {
  return read_vector(fields, "target", &message->target);
}

static bool read_twist(Fields* fields, CpsMessage* message) {
  return read_double(fields, "angle", &message->value);
}

static bool read_save(Fields* fields, CpsMessage* message) {
  static const char* const WHAT[] = {"scene", "problem"};
  int what = 0;
  if (!read_choice(fields, "what", WHAT, 2, &what)) return false;
  message->problem = what == 1;
  return true;
}

static bool read_draw(Fields* fields, CpsMessage* message) {
  return read_index(fields, &message->index) && read_whole(fields, "vertex", &message->vertex) &&
         read_vector(fields, "target", &message->target);
}

static bool read_stiffness(Fields* fields, CpsMessage* message) {
  return read_index(fields, &message->index) && read_double(fields, "value", &message->value);
}

static bool read_cut(Fields* fields, CpsMessage* message) {
  return read_index(fields, &message->index) && read_double(fields, "s", &message->s);
}

static const struct {
  const char* name;
  ReadFn read;
} TYPES[CPS_MESSAGE_TYPE_COUNT] = {
    [CPS_MESSAGE_WANT] = {"want", read_want},
    [CPS_MESSAGE_FRAME] = {"frame", read_number_of_frame},
    [CPS_MESSAGE_ACK] = {"ack", read_number_of_frame},
    [CPS_MESSAGE_SERIES] = {"series", read_series},
    [CPS_MESSAGE_PICK] = {"pick", read_pick},
    [CPS_MESSAGE_RUN] = {"run", read_nothing},
    [CPS_MESSAGE_PAUSE] = {"pause", read_nothing},
    [CPS_MESSAGE_STEP] = {"step", read_nothing},
    [CPS_MESSAGE_RESET] = {"reset", read_nothing},
    [CPS_MESSAGE_SET] = {"set", read_set},
    [CPS_MESSAGE_GRAB] = {"grab", read_grab},
    [CPS_MESSAGE_DRAG] = {"drag", read_drag},
    [CPS_MESSAGE_TWIST] = {"twist", read_twist},
    [CPS_MESSAGE_RELEASE] = {"release", read_nothing},
    [CPS_MESSAGE_PIN] = {"pin", read_pin},
    [CPS_MESSAGE_SAVE] = {"save", read_save},
    [CPS_MESSAGE_DRAW] = {"draw", read_draw},
    [CPS_MESSAGE_ERASE] = {"erase", read_number_of_frame},
    [CPS_MESSAGE_STIFFNESS] = {"stiffness", read_stiffness},
    [CPS_MESSAGE_LET_GO] = {"let_go", read_nothing},
    [CPS_MESSAGE_TAKE_PEN] = {"take_pen", read_nothing},
    [CPS_MESSAGE_CUT] = {"cut", read_cut},
};

CpsStatus cps_message_read(const char* text, size_t length, CpsMessage* message, CpsError* error) {
  CpsFlatObject object;
  CpsStatus status = cps_flat_read(text, length, &object, error);
  if (status != CPS_OK) return status;
  const CpsFlatField* type = cps_flat_find(&object, "type");
  if (!type || type->kind != CPS_FLAT_IS_TEXT)
    return cps_fail(error, CPS_BAD_FORMAT, "a message needs a string 'type'");
  for (int i = 0; i < CPS_MESSAGE_TYPE_COUNT; ++i) {
    if (strcmp(type->text, TYPES[i].name) != 0) continue;
    CpsMessage read = {.type = (CpsMessageType)i};
    Fields fields = {&object, TYPES[i].name, 1, error};
    if (!TYPES[i].read(&fields, &read)) return CPS_BAD_FORMAT;
    if (fields.used != object.count) {
      return cps_fail(error, CPS_BAD_FORMAT, "%s: unexpected field", TYPES[i].name);
    }
    *message = read;
    return cps_succeed(error);
  }
  return cps_fail(error, CPS_BAD_FORMAT, "type '%s' is not known", type->text);
}

const char* cps_message_name(CpsMessageType type) {
  return TYPES[type].name;
}
