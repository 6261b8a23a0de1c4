// Reads and checks messages of the viewer's clients (docs/reference/viewer-protocol.md).
#ifndef CAPSTAN_SERVER_MESSAGE_H
#define CAPSTAN_SERVER_MESSAGE_H

#include "capstan/world.h"
#include "server/flat_json.h"

typedef enum CpsMessageType {
  CPS_MESSAGE_WANT,
  CPS_MESSAGE_FRAME,
  CPS_MESSAGE_ACK,
  CPS_MESSAGE_SERIES,
  CPS_MESSAGE_PICK,
  CPS_MESSAGE_RUN,  // from here on: live only
  CPS_MESSAGE_PAUSE,
  CPS_MESSAGE_STEP,
  CPS_MESSAGE_RESET,
  CPS_MESSAGE_SET,
  CPS_MESSAGE_GRAB,
  CPS_MESSAGE_DRAG,
  CPS_MESSAGE_TWIST,
  CPS_MESSAGE_RELEASE,
  CPS_MESSAGE_PIN,
  CPS_MESSAGE_SAVE,
  CPS_MESSAGE_DRAW,
  CPS_MESSAGE_ERASE,
  CPS_MESSAGE_STIFFNESS,
  CPS_MESSAGE_LET_GO,
  CPS_MESSAGE_TAKE_PEN,
  CPS_MESSAGE_CUT,
  CPS_MESSAGE_TYPE_COUNT
} CpsMessageType;

typedef enum CpsSettingKey {
  CPS_SETTING_GRAVITY,
  CPS_SETTING_MU,
  CPS_SETTING_STEP,
  CPS_SETTING_TOLERANCE,
  CPS_SETTING_METHOD,
  CPS_SETTING_GRAIN_MU
} CpsSettingKey;

typedef struct CpsMessage {
  CpsMessageType type;
  bool contacts, axes, tension;                    // want
  bool speed, pressure, fraction, status, stress;  // want: of grains
  int64_t index;                                   // frame, ack, pick, grab, pin, draw, erase, stiffness, cut; >= 0
  int64_t frame;                                   // pick: the one the page shows; -1: the last one it was sent
  int64_t vertex;                                  // grab of a sheet, pin, draw; >= 0
  bool held;                                       // pin: from now on; false: released
  CpsThingKind kind;                               // pick, grab
  char text[CPS_FLAT_TEXT];                        // series: name; set method: its name
  CpsSettingKey key;                               // set
  bool is_null;                                    // set mu: as the scene says
  double value;                                    // set mu, step, tolerance; twist: angle; stiffness: Pa
  CpsVec3 vector;                                  // set gravity
  double s;                                        // grab of a fibre, cut
  CpsVec3 point;                                   // grab of a body
  CpsVec3 target;                                  // grab, drag, draw
  bool problem;                                    // save: the problem, not the scene
} CpsMessage;

// Reads one message. It must contain every field that the protocol page names, with the right type, and no other.
CpsStatus cps_message_read(const char* text, size_t length, CpsMessage* message, CpsError* error);
const char* cps_message_name(CpsMessageType type);

#endif
